// SPDX-License-Identifier: Apache-2.0
// Inside the embedded broker: one question handler at work. The loop finds the next pending ask,
// the handler thread runs the handler on it, the loop settles the ask with what it returned and
// goes on to the next. A handler that blocks therefore holds nothing but its own thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "broker/broker.h"
#include "broker/embedded/call_gate.h"
#include "broker/embedded/core.h"
#include "parley/broker.h"

namespace parley::embedded {

class HandlerRunner : public std::enable_shared_from_this<HandlerRunner> {
public:
    HandlerRunner(Core& core, Broker::Handler handler)
        : core_(core), handler_(std::move(handler)) {}

    // On the loop.
    void start(LoopBroker& broker);
    // It is given nothing more, and what it still returns is dropped.
    void cut_off();

    // Any thread.
    void request_stop();
    // After it, the handler does not run.
    void shut() { gate_.shut(); }

private:
    void next();
    // The ask that a frame offers, unless it was offered before or is settled.
    AskPtr offered_by(const Frame& frame) const;
    void give(const AskPtr& ask);
    void run(const AskPtr& ask, const std::stop_token& stop);
    void handled(AskId ask, std::optional<Answers> answers);

    Core& core_;  // waits for shut() before it goes
    const Broker::Handler handler_;
    CallGate gate_;

    std::mutex mutex_;
    std::stop_source stop_;  // of the ask in hand; guarded by mutex_

    // Of the loop's own thread.
    LoopBroker* broker_ = nullptr;
    Subscription subscription_;
    Wait wait_;  // for the ask in hand to be settled elsewhere
    AskId last_offered_;
    bool is_busy_ = false;
};

}  // namespace parley::embedded
