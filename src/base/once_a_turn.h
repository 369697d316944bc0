// SPDX-License-Identifier: Apache-2.0
// Something that is worth doing once however often a turn of the loop asks for it, such as drawing
// a picture: it is done after all that is posted already. Belongs to the executor's thread; what
// was asked for is not done any more once this is gone.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/executor.h"

namespace parley {

class OnceATurn {
public:
    OnceATurn(Executor& executor, std::function<void()> task)
        : executor_(executor), task_(std::move(task)) {}

    void ask() {
        if (std::exchange(*is_asked_, true)) return;
        executor_.post([this, asked = std::weak_ptr(is_asked_)] {
            const auto strong = asked.lock();
            if (!strong) return;
            *strong = false;
            task_();
        });
    }

private:
    Executor& executor_;
    std::function<void()> task_;
    std::shared_ptr<bool> is_asked_ = std::make_shared<bool>(false);
};

}  // namespace parley
