// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: one question handler at work. The loop finds the next pending ask,
// the handler thread runs the handler on it, the loop settles the ask with what it returned and
// goes on to the next. A handler that blocks therefore holds nothing but its own thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "client/program/call_gate.h"
#include "client/program/core.h"
#include "client/program/frame_queue.h"
#include "parley/any_broker.h"

namespace parley::program {

class HandlerRunner : public std::enable_shared_from_this<HandlerRunner> {
public:
    HandlerRunner(Core& core, AnyBroker::Handler handler)
        : core_(core), handler_(std::move(handler)) {}

    // On the loop.
    void start(Link& link);
    // It is given nothing more, and what it still returns is dropped.
    void cut_off();

    // Any thread.
    void request_stop();
    // After it, the handler does not run.
    void shut() { gate_.shut(); }

private:
    void next();
    // The ask that a frame offers, unless it was offered before.
    AskPtr offered_by(const Frame& frame) const;
    // Gives it if it is still pending.
    void look_at(AskId id);
    void give(const AskPtr& ask);
    void run(const AskPtr& ask, const std::stop_token& stop);
    void handled(AskId ask, std::optional<Answers> answers);
    void settle(AskId ask, Answers answers);
    // When a broker that was away may be asked again; not if this is cut off meanwhile.
    void retry(UniqueFunction<void()> step);

    Core& core_;  // waits for shut() before it goes
    const AnyBroker::Handler handler_;
    CallGate gate_;

    std::mutex mutex_;
    std::stop_source stop_;  // of the ask in hand; guarded by mutex_

    // Of the loop's own thread.
    Link* link_ = nullptr;
    std::optional<FrameQueue> frames_;
    LinkWait wait_;  // for the ask in hand to be settled elsewhere
    AskId last_offered_;
    bool is_busy_ = false;
};

}  // namespace parley::program
