// SPDX-License-Identifier: Apache-2.0
// What a chat app is told.
#include "door/chat/chat_connection.h"

#include <variant>

#include "base/overload.h"
#include "broker/limits.h"
#include "core/door_names.h"

namespace parley {

ChatConnection::ChatConnection(Wiring wiring, Visitor visitor, net::WebSocket socket)
    : wiring_(wiring),
      visitor_(std::move(visitor)),
      socket_(std::move(socket)),
      pump_(std::make_shared<FramePump>(FramePump::Wiring{wiring.broker, wiring.clock},
                                        visitor_.caller)) {}

void ChatConnection::start() {
    ChatSeats::Told before;
    if (!visitor_.is_observer) {
        // Another may have come meanwhile.
        const MarkPtr seat = wiring_.broker.find_mark(visitor_.seat->key);
        if (seat && !sits_at(*seat)) return give_way();
        before = wiring_.seats.take(visitor_.id, shared_from_this());
        holds_session_ = true;
    }
    tell(chat::connected({.connection = visitor_.connection,
                          .session = visitor_.session,
                          .id = visitor_.id,
                          .is_observer = visitor_.is_observer}));
    tell_status();
    SubscribeRequest request{.after = visitor_.after, .session = visitor_.id};
    if (!request.after) {
        // What the holder before was shown is shown again: this may be another page. What it was
        // not told follows from where it left.
        request.after = before.cursor;
        for (const AskId id : before.shown)
            if (const AskPtr ask = wiring_.broker.find_pending(id, visitor_.caller.viewer()))
                tell_opened(ask, std::nullopt);
    }
    told_.cursor = request.after;
    if (auto subscribed = pump_->subscribe(std::move(request)); !subscribed) {
        tell(chat::error(subscribed.error()));
        return socket_.close(net::WsCode::try_later, "too many listen");
    }
    pump_->feed(*this);
}

void ChatConnection::finish() {
    pump_->stop();
    if (std::exchange(holds_session_, false))
        wiring_.seats.leave(visitor_.id, this, std::move(told_));
}

void ChatConnection::give_way() {
    finish();
    tell(chat::session_taken());
    socket_.close(net::WsCode::normal, "the session was taken by a newer connection");
}

void ChatConnection::cut() {
    socket_.close(net::WsCode::policy, "the token is not valid any more");
}

void ChatConnection::break_off(const Error&) {
    socket_.close(net::WsCode::internal, "what happened next is stored and cannot be read");
}

bool ChatConnection::has_pending_asks() const {
    return wiring_.broker.pending_count(visitor_.id, visitor_.caller.viewer()) > 0;
}

void ChatConnection::tell_status() {
    chat::Status status{.session = visitor_.session,
                        .has_written = has_written_,
                        .last_event = last_event_,
                        .last_at = last_at_,
                        .completed_at = completed_at_};
    const Viewer who = visitor_.caller.viewer();
    if (const auto* entry = wiring_.broker.find_live(visitor_.id, who)) {
        status.activity = entry->session->activity;
        status.pending_count = wiring_.broker.pending_count(visitor_.id, who);
        if (const AskPtr first = wiring_.broker.pending_after(AskId(), visitor_.id, who))
            status.pending = first->id;
    }
    tell(chat::session_status(status));
}

void ChatConnection::send(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        tell_event(**event);
        told_.cursor = (*event)->cursor;
        last_at_ = (*event)->at;
    } else if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
        tell_delta(**delta);
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        tell_opened(listed->ask, std::nullopt);
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        told_.cursor = end->cursor;
    }
    // A reset needs no word: the status says what is pending, and all of that follows.
}

void ChatConnection::tell_of_store(const std::optional<Error>& away) {
    tell(chat::notice(store_notice(away)));
}

void ChatConnection::tell_event(const Event& event) {
    std::visit(
        Overload{
            [&](const AskOpened& opened) {
                // One that is settled meanwhile is not shown as if it could be answered;
                // that it is settled follows.
                if (!wiring_.broker.find_pending(opened.ask->id, visitor_.caller.viewer())) return;
                tell_opened(opened.ask, event.cursor);
                tell_status();
            },
            [&](const AskSettled& settled) { tell_settled(*settled.ask, event.cursor); },
            [&](const PartAdded& added) { tell_part(*added.part, event); },
            [&](const MessageAdded& said) {
                has_written_ = false;
                note("user_message");
                tell(chat::user_message(said, event.cursor));
            },
            [&](const NoticeGiven& notice) {
                note("notice");
                tell(chat::notice(notice, event.cursor));
            },
            [this](const SessionChanged&) { tell_status(); },
            [&](const SessionEnded& ended) {
                tell(chat::session_ended(ended, event.cursor));
                tell_status();
                socket_.close(net::WsCode::normal, "the session has ended");
            },
            [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, MessagesTaken, AgentRevoked,
                           TokenChanged, MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
}

void ChatConnection::tell_opened(const AskPtr& ask, std::optional<Cursor> cursor) {
    if (!told_.shown.insert(ask->id).second) return;
    note("ask_user_question");
    tell(chat::ask_user_question(*ask, cursor));
}

void ChatConnection::tell_settled(const Ask& ask, Cursor cursor) {
    told_.shown.erase(ask.id);
    const Outcome outcome = ask.settlement->outcome;
    const bool has_ended_unanswered =
        outcome == Outcome::timed_out || outcome == Outcome::dismissed;
    if (has_ended_unanswered) {
        note("ask_user_timeout");
        tell(chat::ask_user_timeout(ask, cursor));
    }
    // A person who cancelled elsewhere is named, which the older message has no place for.
    const bool is_elsewhere = outcome == Outcome::dismissed && !is_own(ask);
    if (!has_ended_unanswered || is_elsewhere) {
        note("ask_user_settled");
        tell(chat::ask_user_settled(ask, cursor));
    }
    tell_status();
}

void ChatConnection::tell_delta(const PartDelta& delta) {
    if (delta.kind != PartDelta::Kind::text) return;
    has_written_ = true;
    note("text");
    if (streamed_.size() < limits::kOpenPartsMax) streamed_.insert(delta.part_id);
    tell(chat::text(delta));
}

void ChatConnection::tell_part(const Part& part, const Event& event) {
    const bool was_streamed = part.kind == Part::Kind::text && streamed_.erase(part.part_id) > 0;
    has_written_ = part.kind != Part::Kind::finish;
    if (part.kind == Part::Kind::finish) completed_at_ = event.at;
    note(part.kind == Part::Kind::finish ? "complete"
         : part.kind == Part::Kind::text ? "text"
                                         : "tool_use");
    tell(chat::part(part, event.cursor, was_streamed));
}

}  // namespace parley
