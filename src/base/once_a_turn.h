// SPDX-License-Identifier: Apache-2.0
// Something that is worth doing once however often a turn of the loop asks for it, such as drawing
// a picture: it is done after all that is posted already. Belongs to the executor's thread; what
// was asked for is not done any more once this is gone.
#pragma once

#include <functional>
#include <utility>

#include "base/executor.h"
#include "base/lifetime.h"

namespace parley {

class OnceATurn {
public:
    OnceATurn(Executor& executor, std::function<void()> task)
        : executor_(executor), task_(std::move(task)) {}

    void ask() {
        if (std::exchange(is_asked_, true)) return;
        executor_.post(alive_.guard([this] {
            is_asked_ = false;
            task_();
        }));
    }

private:
    Executor& executor_;
    std::function<void()> task_;
    bool is_asked_ = false;
    Lifetime alive_;
};

}  // namespace parley
