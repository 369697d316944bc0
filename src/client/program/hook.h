// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: a callback that cannot be forgotten. Handed to a link, it fulfils its
// target once: with the result, or, when it is dropped uncalled because the link went first, with
// `interrupted`. So nobody who blocks is left behind. Any thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/result.h"

namespace parley::program {

inline Error interrupted_error() {
    return {.code = ErrorCode::interrupted,
            .message = "this program closed its broker or client meanwhile"};
}
inline Error closed_error() {
    return {.code = ErrorCode::unavailable,
            .message = "this program has closed its broker or client"};
}

// `Target` is a pointer to something with fulfil(Result<T>).
template <class T, class Target>
class Hook {
public:
    explicit Hook(Target target) : target_(std::move(target)) {}
    Hook(Hook&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
    Hook& operator=(Hook&&) = delete;
    ~Hook() {
        if (target_) target_->fulfil(reject(interrupted_error()));
    }

    void operator()(Result<T> result) {
        std::exchange(target_, nullptr)->fulfil(std::move(result));
    }

private:
    Target target_;
};

// Where a blocked caller finds its result. Lives on the caller's stack.
template <class T>
class Slot {
public:
    void fulfil(Result<T> result) {
        // Told under the lock: once the caller has the result, the slot is gone.
        const std::lock_guard lock(mutex_);
        result_ = std::move(result);
        filled_.notify_one();
    }

    Result<T> take() {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [this] { return result_.has_value(); });
        return std::move(*result_);
    }

private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::optional<Result<T>> result_;
};

}  // namespace parley::program
