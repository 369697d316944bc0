// SPDX-License-Identifier: Apache-2.0
// Small blocks of memory that a thread gave back and will want again. Asks, events, settlements,
// callbacks and the nodes that hold them come and go by the hundred in a few sizes; the system's
// allocator keeps seven of a size at hand and goes the long way for the rest. Each thread keeps up
// to limits::kBlocksKept of a size; what is more, and what is larger, is the system's.
//
// A block may be given back on another thread than it was taken on.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace parley {

// For any size; at least as aligned as what `new` gives.
void* take_block(std::size_t bytes);
// `bytes` is what was asked for.
void give_block(void* block, std::size_t bytes) noexcept;

template <class T, class... Args>
T* new_in_block(Args&&... args) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    const auto give_back = [](void* block) { give_block(block, sizeof(T)); };
    std::unique_ptr<void, decltype(give_back)> block(take_block(sizeof(T)), give_back);
    T* object = ::new (block.get()) T(std::forward<Args>(args)...);
    (void)block.release();
    return object;
}
template <class T>
void delete_in_block(T* object) noexcept {
    object->~T();
    give_block(object, sizeof(T));
}

// For containers whose elements come and go one by one.
template <class T>
class BlockAllocator {
public:
    using value_type = T;

    BlockAllocator() = default;
    template <class U>
    BlockAllocator(const BlockAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t count) {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        ASSERT(count <= static_cast<std::size_t>(-1) / sizeof(T));
        return static_cast<T*>(take_block(count * sizeof(T)));
    }
    void deallocate(T* block, std::size_t count) noexcept {
        give_block(static_cast<void*>(block), count * sizeof(T));
    }

    template <class U>
    bool operator==(const BlockAllocator<U>&) const noexcept {
        return true;
    }
};

template <class T, class... Args>
std::shared_ptr<T> make_shared_block(Args&&... args) {
    return std::allocate_shared<T>(BlockAllocator<std::remove_const_t<T>>(),
                                   std::forward<Args>(args)...);
}

}  // namespace parley
