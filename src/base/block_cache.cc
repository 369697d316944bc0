// SPDX-License-Identifier: Apache-2.0
#include "base/block_cache.h"

#include <array>
#include <new>
#include <utility>

#include "base/limits.h"

namespace parley {

namespace {

// The sanitizers must see every block come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsKeeping = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
constexpr bool kIsKeeping = false;
#else
constexpr bool kIsKeeping = true;
#endif
#else
constexpr bool kIsKeeping = true;
#endif

constexpr std::size_t kStep = 16;
constexpr std::size_t kSizes = limits::kBlockBytesMax / kStep;

struct Block {
    Block* next;
};

struct Shelf {
    Block* first = nullptr;
    std::size_t count = 0;
};

enum class Phase : unsigned char { unused, in_use, over };

// Needs no destructor, so that blocks may come back while the thread's other variables go.
struct Shelves {
    std::array<Shelf, kSizes> by_size = {};
    Phase phase = Phase::unused;
};

constinit thread_local Shelves shelves;

struct AtThreadEnd {
    ~AtThreadEnd() {
        shelves.phase = Phase::over;
        for (Shelf& shelf : shelves.by_size) {
            while (shelf.first != nullptr)
                ::operator delete(std::exchange(shelf.first, shelf.first->next));
            shelf.count = 0;
        }
    }
    void watch() {}
};

thread_local AtThreadEnd at_thread_end;

constexpr std::size_t shelf_of(std::size_t bytes) {
    return (bytes - 1) / kStep;
}

constexpr bool is_small(std::size_t bytes) {
    return kIsKeeping && bytes > 0 && bytes <= limits::kBlockBytesMax;
}

}  // namespace

void* take_block(std::size_t bytes) {
    if (!is_small(bytes)) return ::operator new(bytes);
    Shelf& shelf = shelves.by_size[shelf_of(bytes)];
    if (shelf.first == nullptr) return ::operator new((shelf_of(bytes) + 1) * kStep);
    --shelf.count;
    return std::exchange(shelf.first, shelf.first->next);
}

void give_block(void* block, std::size_t bytes) noexcept {
    if (is_small(bytes) && shelves.phase != Phase::over) {
        Shelf& shelf = shelves.by_size[shelf_of(bytes)];
        if (shelf.count < limits::kBlocksKept) {
            if (shelves.phase == Phase::unused) {
                shelves.phase = Phase::in_use;
                at_thread_end.watch();
            }
            shelf.first = ::new (block) Block{shelf.first};
            ++shelf.count;
            return;
        }
    }
    ::operator delete(block);
}

}  // namespace parley
