// SPDX-License-Identifier: Apache-2.0
#include "client/program/handler_runner.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "client/away.h"

namespace parley::program {

namespace {

std::string describe(const Error& error) {
    std::string text = error.message;
    for (const Fault& fault : error.faults)
        text += fmt::format("\n  {}: {}", fault.path, fault.detail);
    return text;
}

}  // namespace

void HandlerRunner::start(Link& link) {
    link_ = &link;
    frames_.emplace(link, FollowRequest{},
                    FrameQueue::Wishes{
                        .on_more = [this] { next(); },
                        .on_standing =
                            [this](const Result<void>& standing) {
                                if (standing) return;
                                core_.report("the question handler is given nothing more: " +
                                             standing.error().message);
                            },
                    });
}

void HandlerRunner::cut_off() {
    link_ = nullptr;
    frames_.reset();
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
    while (link_ != nullptr && !is_busy_) {
        const std::vector<Frame> frames = frames_->take(1);
        if (frames.empty()) return;
        if (const AskPtr ask = offered_by(frames.front())) look_at(ask->id);
    }
}

AskPtr HandlerRunner::offered_by(const Frame& frame) const {
    AskPtr ask;
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        std::visit(Overload{
                       [&](const AskOpened& opened) { ask = opened.ask; },
                       [](const OneOf<AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                                      SessionChanged, SessionEnded, PartAdded, MessageAdded,
                                      MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged,
                                      MarkChanged, ContentDeleted> auto&) {},
                   },
                   (*event)->body);
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        // A second snapshot, after a handler that was slower than the store forgets, lists again
        // what was left open.
        if (listed->ask->id > last_offered_) ask = listed->ask;
    }
    return ask;
}

void HandlerRunner::look_at(AskId id) {
    is_busy_ = true;
    last_offered_ = id;
    link_->find_ask(id, [self = shared_from_this(), id](const Result<AskPtr>& ask) {
        if (self->link_ == nullptr) return;
        if (ask && (*ask)->is_pending()) return self->give(*ask);
        if (!ask && is_away(ask.error()))
            return self->retry([self = self.get(), id] { self->look_at(id); });
        self->is_busy_ = false;
        self->next();
    });
}

void HandlerRunner::give(const AskPtr& ask) {
    std::stop_source stop;
    {
        const std::lock_guard lock(mutex_);
        stop_ = stop;
    }
    // What the program attached to the token runs with the request, so not on the loop.
    wait_ = link_->wait(ask->id, [this, stop](const Result<AskPtr>&) {
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
                   Link&) mutable { self->handled(id, std::move(answers)); });
}

void HandlerRunner::handled(AskId ask, std::optional<Answers> answers) {
    if (link_ == nullptr) return;
    is_busy_ = false;
    wait_.cancel();
    if (answers) settle(ask, std::move(*answers));
    next();
}

void HandlerRunner::settle(AskId ask, Answers answers) {
    link_->answer(ask, answers, {},
                  [self = shared_from_this(), ask, answers](const Result<SettleReply>& reply) {
                      if (reply) return;
                      if (is_away(reply.error()))
                          return self->retry(
                              [self = self.get(), ask, answers] { self->settle(ask, answers); });
                      self->core_.report(
                          fmt::format("the answer of the question handler to {} was refused: {}",
                                      ask.str(), describe(reply.error())));
                  });
}

void HandlerRunner::retry(UniqueFunction<void()> step) {
    core_.post_retry([weak = weak_from_this(), step = std::move(step)]() mutable {
        const auto self = weak.lock();
        if (self && self->link_ != nullptr) step();
    });
}

}  // namespace parley::program
