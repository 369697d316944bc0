// SPDX-License-Identifier: Apache-2.0
// For the tests of the embedded broker: a question, and a place where callbacks of other threads
// leave what they were given.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "parley/broker.h"

namespace parley::embedded {

inline AskRequest tea_or_coffee(std::string session = "chat") {
    return {.spec = {.questions = {{.text = "Tea or coffee?",
                                    .header = "Drink",
                                    .options = {{"Tea", ""}, {"Coffee", ""}},
                                    .custom = false}}},
            .session = std::move(session)};
}

inline Answers choose(std::string label) {
    return {{.selected = {std::move(label)}}};
}

inline std::string chosen(const Result<AskPtr>& settled) {
    if (!settled) return std::string(to_string(settled.error().code));
    if ((*settled)->state() != AskState::answered)
        return std::string(to_string((*settled)->state()));
    return (*settled)->settlement->answers.at(0).selected.at(0);
}

// Values from any thread; await() blocks until there are so many.
template <class T>
class Inbox {
public:
    void put(T value) {
        const std::lock_guard lock(mutex_);
        values_.push_back(std::move(value));
        changed_.notify_all();
    }
    std::vector<T> await(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return values_.size() >= count; });
        return values_;
    }
    std::size_t size() {
        const std::lock_guard lock(mutex_);
        return values_.size();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<T> values_;
};

}  // namespace parley::embedded
