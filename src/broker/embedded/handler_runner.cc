// SPDX-License-Identifier: Apache-2.0
#include "broker/embedded/handler_runner.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/overload.h"

namespace parley::embedded {

namespace {

std::string describe(const Error& error) {
    std::string text = error.message;
    for (const Fault& fault : error.faults)
        text += fmt::format("\n  {}: {}", fault.path, fault.detail);
    return text;
}

}  // namespace

void HandlerRunner::start(LoopBroker& broker) {
    auto subscription = broker.subscribe({.viewer = kUnrestricted}, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self) self->core_.post([self](LoopBroker&) { self->next(); });
    });
    if (!subscription) {
        core_.report("the question handler was not started: " + subscription.error().message);
        return;
    }
    broker_ = &broker;
    subscription_ = std::move(*subscription);
}

void HandlerRunner::cut_off() {
    broker_ = nullptr;
    subscription_ = {};
    wait_.cancel();
}

void HandlerRunner::request_stop() {
    std::stop_source stop;
    {
        const std::lock_guard lock(mutex_);
        stop = stop_;
    }
    stop.request_stop();
}

void HandlerRunner::next() {
    std::vector<Frame> frames;
    while (broker_ != nullptr && !is_busy_) {
        frames.clear();
        subscription_.take(frames, 1);
        if (frames.empty()) return;
        if (const AskPtr ask = offered_by(frames.front())) give(ask);
    }
}

AskPtr HandlerRunner::offered_by(const Frame& frame) const {
    AskPtr ask;
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        std::visit(
            Overload{
                [&](const AskOpened& opened) { ask = opened.ask; },
                [](const OneOf<AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                               SessionChanged, SessionEnded, PartAdded, MessageAdded, MessagesTaken,
                               NoticeGiven, AgentRevoked, TokenChanged> auto&) {},
            },
            (*event)->body);
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        // A second snapshot, after a handler that was slower than the store forgets, lists again
        // what was left open.
        if (listed->ask->id > last_offered_) ask = listed->ask;
    }
    return ask && broker_->ledger().find_pending(ask->id) ? ask : nullptr;
}

void HandlerRunner::give(const AskPtr& ask) {
    is_busy_ = true;
    last_offered_ = ask->id;
    std::stop_source stop;
    {
        const std::lock_guard lock(mutex_);
        stop_ = stop;
    }
    // What the program attached to the token runs with the request, so not on the loop.
    wait_ = broker_->wait(ask->id, kUnrestricted, [this, stop](Result<AskPtr>) {
        core_.post_callback([stop]() mutable { stop.request_stop(); });
    });
    core_.post_handler(
        [self = shared_from_this(), ask, token = stop.get_token()] { self->run(ask, token); });
}

void HandlerRunner::run(const AskPtr& ask, const std::stop_token& stop) {
    std::optional<Answers> answers;
    gate_.run(
        [&] { core_.guard("the question handler", [&] { answers = handler_(*ask, stop); }); });
    core_.post([self = shared_from_this(), id = ask->id, answers = std::move(answers)](
                   LoopBroker&) mutable { self->handled(id, std::move(answers)); });
}

void HandlerRunner::handled(AskId ask, std::optional<Answers> answers) {
    if (broker_ == nullptr) return;
    is_busy_ = false;
    wait_.cancel();
    if (answers) {
        broker_->answer(ask, std::move(*answers), {}, core_.actor(),
                        [this, self = shared_from_this(), ask](Result<SettleReply> reply) {
                            if (reply) return;
                            core_.report(
                                fmt::format("the answer of the question handler to {} was "
                                            "refused: {}",
                                            ask.str(), describe(reply.error())));
                        });
    }
    next();
}

}  // namespace parley::embedded
