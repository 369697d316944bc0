// SPDX-License-Identifier: Apache-2.0
// UniqueFunction: a callable that is moved, never copied, so it may own what it captures. Small
// callables are kept inside without an allocation. Calling an empty one is a bug.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.h"
#include "base/block_cache.h"

namespace parley {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
public:
    UniqueFunction() = default;
    UniqueFunction(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
                 std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>)
    UniqueFunction(F&& callable) {  // NOLINT(google-explicit-constructor)
        using Callable = std::remove_cvref_t<F>;
        if constexpr (fits<Callable>()) {
            ::new (static_cast<void*>(storage_)) Callable(std::forward<F>(callable));
            table_ = &kInline<Callable>;
        } else {
            ::new (static_cast<void*>(storage_))
                Callable*(new_in_block<Callable>(std::forward<F>(callable)));
            table_ = &kHeap<Callable>;
        }
    }

    UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
    UniqueFunction& operator=(UniqueFunction&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    UniqueFunction(const UniqueFunction&) = delete;
    UniqueFunction& operator=(const UniqueFunction&) = delete;
    ~UniqueFunction() { reset(); }

    explicit operator bool() const { return table_ != nullptr; }

    R operator()(Args... args) {
        ASSERT(table_ != nullptr);
        return table_->call(storage_, std::forward<Args>(args)...);
    }

private:
    static constexpr std::size_t kInlineBytes = 6 * sizeof(void*);

    struct Table {
        R (*call)(void*, Args&&...);
        void (*move)(void* from, void* to) noexcept;
        void (*destroy)(void*) noexcept;
    };

    template <class F>
    static constexpr bool fits() {
        return sizeof(F) <= kInlineBytes && alignof(F) <= alignof(std::max_align_t) &&
               std::is_nothrow_move_constructible_v<F>;
    }

    template <class F>
    static constexpr Table kInline = {
        [](void* self, Args&&... args) -> R {
            return (*std::launder(static_cast<F*>(self)))(std::forward<Args>(args)...);
        },
        [](void* from, void* to) noexcept {
            F* source = std::launder(static_cast<F*>(from));
            ::new (to) F(std::move(*source));
            source->~F();
        },
        [](void* self) noexcept { std::launder(static_cast<F*>(self))->~F(); },
    };

    template <class F>
    static constexpr Table kHeap = {
        [](void* self, Args&&... args) -> R {
            return (**std::launder(static_cast<F**>(self)))(std::forward<Args>(args)...);
        },
        [](void* from, void* to) noexcept { ::new (to) F*(*std::launder(static_cast<F**>(from))); },
        [](void* self) noexcept { delete_in_block(*std::launder(static_cast<F**>(self))); },
    };

    void take(UniqueFunction& other) noexcept {
        if (other.table_ == nullptr) return;
        other.table_->move(other.storage_, storage_);
        table_ = std::exchange(other.table_, nullptr);
    }

    void reset() noexcept {
        if (table_ == nullptr) return;
        std::exchange(table_, nullptr)->destroy(storage_);
    }

    alignas(std::max_align_t) std::byte storage_[kInlineBytes] = {};
    const Table* table_ = nullptr;
};

}  // namespace parley
