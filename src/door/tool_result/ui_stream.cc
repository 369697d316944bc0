// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/ui_stream.h"

#include <variant>

#include "base/overload.h"
#include "dialect/native/problem.h"
#include "door/limits.h"
#include "door/native/native_replies.h"
#include "door/tool_result/ui_turns.h"

namespace parley {

namespace {

net::StreamOptions stream_options() {
    net::StreamOptions options = net::sse_options();
    options.headers.add("x-vercel-ai-ui-message-stream", "v1");
    // The pump keeps the queue short; what can still be long is one event.
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    return options;
}

// What an event says of the agent's turn, beside what of it is shown.
struct TurnNews {
    bool is_rest_or_work = false;
    bool is_work = false;
    bool is_part = false;
};

TurnNews turn_news(const Event& event) {
    return std::visit(
        Overload{
            [](const SessionChanged& changed) {
                return TurnNews{.is_rest_or_work = true,
                                .is_work = changed.session->activity == Activity::working};
            },
            [](const PartAdded&) { return TurnNews{.is_part = true}; },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                           SessionEnded, MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked,
                           TokenChanged, MarkChanged, ContentDeleted> auto&) { return TurnNews{}; },
        },
        event.body);
}

}  // namespace

UiStream::UiStream(Wiring wiring, Caller caller, Request request)
    : wiring_(wiring),
      request_(std::move(request)),
      pump_(std::make_shared<FramePump>(FramePump::Wiring{wiring.broker, wiring.clock},
                                        std::move(caller))),
      message_(request_.message_id, request_.known_calls) {}

void UiStream::serve(Wiring wiring, net::Exchange exchange, Request request) {
    const auto self =
        std::make_shared<UiStream>(wiring, native::caller(exchange), std::move(request));
    const auto subscribed =
        self->pump_->subscribe({.after = self->request_.after, .session = self->request_.session});
    if (!subscribed) {
        return native::reply(exchange, native::http_status(subscribed.error().code),
                             ai_sdk::error_document(subscribed.error().message));
    }
    self->start(exchange.start_stream(stream_options()));
}

void UiStream::start(net::Stream stream) {
    if (!stream.is_open()) return;
    stream_ = std::move(stream);
    stream_.on_end([self = shared_from_this()](net::StreamEnd) { self->pump_->stop(); });
    stream_.on_closing([weak = weak_from_this()] {
        // Broken off, not ended: the page can come back to the next process.
        if (const auto self = weak.lock()) self->stream_.abort();
    });
    message_.start(chunks_);
    for (const AskPtr& ask : request_.shown_first) show_ask(*ask);
    if (request_.queued) message_.add_queued(request_.queued->id, has_pending(), chunks_);
    flush();
    if (stream_.is_open()) pump_->feed(*this);
}

bool UiStream::has_pending() const {
    return wiring_.broker.pending_count(request_.session, pump_->caller().viewer()) > 0;
}

void UiStream::show_ask(const Ask& ask) {
    message_.open_ask(ask, chunks_);
    open_asks_.insert(ask.id);
    if (request_.finishes_on_ask && wiring_.broker.find_pending(ask.id, pump_->caller().viewer()))
        message_.finish(ai_sdk::FinishReason::tool_calls, chunks_);
}

void UiStream::send(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        tell_event(**event);
    } else if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
        message_.add(**delta, chunks_);
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        show_ask(*listed->ask);
    }
    flush();
}

void UiStream::tell_of_store(const std::optional<Error>& away) {
    message_.add_notice(store_notice(away), chunks_);
    flush();
}

void UiStream::tell_event(const Event& event) {
    std::visit(Overload{
                   [this](const AskOpened& opened) { show_ask(*opened.ask); },
                   [this](const AskSettled& settled) {
                       message_.settle_ask(*settled.ask, chunks_);
                       open_asks_.erase(settled.ask->id);
                   },
                   [this](const PartAdded& added) {
                       if (added.part->kind != Part::Kind::finish)
                           message_.add(*added.part, chunks_);
                   },
                   [this](const NoticeGiven& notice) { message_.add_notice(notice, chunks_); },
                   [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                                  SessionEnded, MessageAdded, MessagesTaken, AgentRevoked,
                                  TokenChanged, MarkChanged, ContentDeleted> auto&) {},
               },
               event.body);
    const TurnNews news = turn_news(event);
    // Rest before anything was done ends nothing.
    const bool is_mere_rest = news.is_rest_or_work && !was_working_ && !message_.has_content();
    if (ends_turn(event) && !is_mere_rest) is_over_ = true;
    if (news.is_work) {
        was_working_ = true;
        is_over_ = false;
    }
    // What is settled with the turn is told before its end.
    if (!is_over_ || has_pending() || !open_asks_.empty()) return;
    message_.finish(news.is_part ? ai_sdk::FinishReason::stop : ai_sdk::FinishReason::other,
                    chunks_);
}

void UiStream::flush() {
    const auto self = shared_from_this();  // the stream's end lets go of it
    for (const std::string& chunk : chunks_) (void)stream_.send(wire::SseEvent{.data = chunk});
    chunks_.clear();
    if (!message_.is_finished() || !stream_.is_open()) return;
    (void)stream_.send(wire::SseEvent{.data = "[DONE]"});
    stream_.end();
    pump_->stop();
}

}  // namespace parley
