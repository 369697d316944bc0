// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/ui_turns.h"

#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/settle.h"
#include "dialect/native/server.h"
#include "door/limits.h"

namespace parley {

namespace {

std::string message_id(Cursor after) {
    return "turn_" + native::cursor_text(after);
}

bool begins_turn(const Event& event) {
    return std::visit(
        Overload{
            [](const PartAdded& added) { return added.part->kind != Part::Kind::finish; },
            [](const SessionChanged& changed) {
                return changed.session->activity == Activity::working;
            },
            [](const OneOf<AskOpened, MessageAdded> auto&) { return true; },
            [](const OneOf<AskSettled, DraftChanged, SnoozeChanged, SessionCreated, SessionEnded,
                           MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged, MarkChanged,
                           ContentDeleted> auto&) { return false; },
        },
        event.body);
}

// What the person said, where that is what begins it.
std::optional<MessageId> message_that_begins(const Event& event) {
    return std::visit(
        Overload{
            [](const MessageAdded& said) { return std::optional(said.id); },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                           SessionChanged, SessionEnded, PartAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&)
                -> std::optional<MessageId> { return std::nullopt; },
        },
        event.body);
}

}  // namespace

bool ends_turn(const Event& event) {
    return std::visit(
        Overload{
            [](const PartAdded& added) { return added.part->kind == Part::Kind::finish; },
            [](const SessionChanged& changed) {
                return changed.session->activity == Activity::idle;
            },
            [](const AskSettled& settled) {
                return withdrawal_rule(*settled.ask->settlement).has_value();
            },
            [](const SessionEnded&) { return true; },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, MessageAdded,
                           MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged, MarkChanged,
                           ContentDeleted> auto&) { return false; },
        },
        event.body);
}

void UiTurns::start() {
    auto feed =
        broker_.subscribe({.viewer = kUnrestricted, .is_internal = true}, [this] { fold(); });
    if (!feed) return;
    feed_ = std::move(*feed);
    fold();
}

const UiTurns::Turn* UiTurns::find(SessionId session) const {
    const auto found = turns_.find(session);
    return found == turns_.end() ? nullptr : &found->second;
}

void UiTurns::fold() {
    if (!feed_) return;
    do {
        taken_.clear();
        feed_.take(taken_, limits::kEventsTakenAtOnce);
        for (const Frame& frame : taken_) fold(frame);
    } while (!taken_.empty());
    if (feed_.failure() == nullptr) return;
    // What was not read is not known: what waits and what comes are.
    turns_.clear();
    start();
}

void UiTurns::fold(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        fold(**event);
        seen_ = (*event)->cursor;
    } else if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
        begin((*delta)->session, {.after = seen_, .message_id = message_id(seen_)});
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        begin(listed->ask->session, {.message_id = "turn_" + listed->ask->id.str()});
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        seen_ = end->cursor;
    } else {
        turns_.clear();
    }
}

void UiTurns::fold(const Event& event) {
    const auto found = turns_.find(event.session);
    if (found == turns_.end()) {
        if (!begins_turn(event)) return;
        const Cursor after{event.cursor.value - 1};
        return begin(
            event.session,
            {.after = after, .message_id = message_id(after), .by = message_that_begins(event)});
    }
    found->second.is_over = found->second.is_over || ends_turn(event);
    const bool has_pending = broker_.pending_count(event.session, kUnrestricted) > 0;
    const bool is_live = broker_.find_live(event.session, kUnrestricted) != nullptr;
    if (!is_live || (found->second.is_over && !has_pending)) turns_.erase(found);
}

void UiTurns::begin(SessionId session, Turn turn) {
    if (turns_.size() < limits::kUiTurnsKept) turns_.emplace(session, std::move(turn));
}

}  // namespace parley
