// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/ui_turns.h"

#include <utility>
#include <variant>

#include "core/settle.h"
#include "dialect/native/server.h"
#include "door/limits.h"

namespace parley {

namespace {

std::string message_id(Cursor after) {
    return "turn_" + native::cursor_text(after);
}

bool begins_turn(const Event& event) {
    if (const auto* added = std::get_if<PartAdded>(&event.body))
        return added->part->kind != Part::Kind::finish;
    if (const auto* changed = std::get_if<SessionChanged>(&event.body))
        return changed->session->activity == Activity::working;
    return std::holds_alternative<AskOpened>(event.body) ||
           std::holds_alternative<MessageAdded>(event.body);
}

}  // namespace

bool ends_turn(const Event& event) {
    if (const auto* added = std::get_if<PartAdded>(&event.body))
        return added->part->kind == Part::Kind::finish;
    if (const auto* changed = std::get_if<SessionChanged>(&event.body))
        return changed->session->activity == Activity::idle;
    if (const auto* settled = std::get_if<AskSettled>(&event.body))
        return withdrawal_rule(*settled->ask->settlement).has_value();
    return std::holds_alternative<SessionEnded>(event.body);
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
        Turn turn{.after = after, .message_id = message_id(after)};
        if (const auto* said = std::get_if<MessageAdded>(&event.body)) turn.by = said->id;
        return begin(event.session, std::move(turn));
    }
    found->second.is_over = found->second.is_over || ends_turn(event);
    const auto* entry = broker_.ledger().find_session(event.session);
    if (entry == nullptr || (found->second.is_over && entry->pending.empty())) turns_.erase(found);
}

void UiTurns::begin(SessionId session, Turn turn) {
    if (turns_.size() < limits::kUiTurnsKept) turns_.emplace(session, std::move(turn));
}

}  // namespace parley
