// SPDX-License-Identifier: Apache-2.0
// What the tests of brokers as programs use them share: a question, a place where callbacks of
// other threads leave what they were given, and a broker of each kind, on which the same tests run.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parley/any_broker.h"

namespace parley::program {

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

struct ProgramOptions {
    std::function<void(std::coroutine_handle<>)> resume = {};
    std::function<void(std::string_view what)> on_problem = {};
};

// A broker with nothing in it, in this process or behind a socket.
class ProgramWorld {
public:
    virtual ~ProgramWorld() = default;

    virtual AnyBroker& broker() = 0;
    // Destroys it.
    virtual void drop() = 0;
    // How often to try what may go wrong seldom.
    virtual std::size_t rounds() const = 0;
};

using MakeWorld = std::unique_ptr<ProgramWorld> (*)(ProgramOptions options);
std::unique_ptr<ProgramWorld> make_embedded_world(ProgramOptions options);
std::unique_ptr<ProgramWorld> make_client_world(ProgramOptions options);
std::unique_ptr<ProgramWorld> make_server_world(ProgramOptions options);

class ProgramTest : public testing::TestWithParam<MakeWorld> {
protected:
    static AskId id_of(const Ticket& ticket) { return (*ticket.opened())->id; }

    Inbox<std::string> problems_;
    std::unique_ptr<ProgramWorld> world_ = GetParam()(
        {.on_problem = [this](std::string_view what) { problems_.put(std::string(what)); }});
    AnyBroker& broker_ = world_->broker();
};

inline std::string world_name(const testing::TestParamInfo<MakeWorld>& info) {
    if (info.param == &make_server_world) return "Server";
    return info.param == &make_embedded_world ? "Embedded" : "Client";
}

}  // namespace parley::program

// Once for each test class of a file.
#define PARLEY_FOR_EVERY_BROKER(suite) \
    INSTANTIATE_TEST_SUITE_P(          \
        EveryBroker, suite,            \
        testing::Values(&make_embedded_world, &make_client_world, &make_server_world), world_name)
