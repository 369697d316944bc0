// SPDX-License-Identifier: Apache-2.0
// The inbox as a value: every ask that waits, in a stable order, what was typed into each, and what
// was decided. A fold over what is followed (`take`) and over keys (`reduce`); the prompt inside is
// the one of prompt_state.h. It reads no clock and does nothing: its owner does what effects say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/follow.h"
#include "parley/event.h"
#include "parley/values.h"
#include "prompt/prompt_state.h"
#include "term/key.h"

namespace parley {

enum class InboxScreen : std::uint8_t { list, ask, history, help };

struct InboxState {
    // What is known; take() and take_state() fold it.
    std::map<AskId, AskPtr> pending = {};
    std::deque<AskPtr> settled = {};  // newest first
    std::map<SessionId, SessionPtr> sessions = {};
    FollowListener::State link = FollowListener::State::retrying;
    bool has_snapshot = false;

    // What is in hand.
    InboxScreen screen = InboxScreen::list;
    InboxScreen under_help = InboxScreen::list;
    std::optional<AskId> selected = {};         // of the list, by id: what arrives moves nothing
    std::optional<AskId> opened = {};           // on the screen `ask`
    std::map<AskId, PromptState> prompts = {};  // of what was opened, with what was typed
    std::map<AskId, Instant> snoozed_until = {};
    bool shows_snoozed = false;
    std::size_t history_cursor = 0;
    std::string search = {};
    bool is_searching = false;
    bool has_decided = false;              // the opened ask was settled from here
    bool is_dismissing_from_list = false;  // whoever thinks better of it wants the list again
    std::string ended = {};  // how the opened ask ended by itself; a key goes back to the list
    std::string notice = {};

    // What is shown in the list, in order: by urgency, then the oldest first.
    std::vector<AskPtr> rows(Instant now) const;
    bool is_snoozed(AskId id, Instant now) const;
    std::size_t snoozed(Instant now) const;
    std::size_t selected_row(const std::vector<AskPtr>& rows) const;
    PromptState* prompt();
    const PromptState* prompt() const;
    AskPtr opened_ask() const;
    // "api-server", or the id's end where the session has no name.
    std::string session_name(SessionId id) const;

    void open(const AskPtr& ask);
    void close();
};

// What a frame changes. `shown_time` gives a time of day as this person reads it.
struct InboxNews {
    std::vector<AskPtr> arrived = {};  // after the snapshot: what a person may be told of
};
InboxNews take(InboxState& state, const Frame& frame, std::string (*shown_time)(Instant));
// What the person has put off, here or in another inbox of theirs, as the broker keeps it.
void take_snoozes(InboxState& state, std::map<AskId, Instant> snoozed_until);
// Asks of before, ascending, for the history.
void take_history(InboxState& state, const std::vector<AskPtr>& asks);

struct InboxEffect {
    enum class Kind : std::uint8_t {
        none,
        quit,
        suspend,
        interrupt,
        answer,       // `ask` with `answers`
        dismiss,      // `ask`, for `reason`
        snooze,       // `ask`, for `period`
        keep_draft,   // `ask` was left with `answers` in it
        find_draft,   // `ask` was opened for the first time
        open_editor,  // on `text`; then edited() of the prompt
    };

    Kind kind = Kind::none;
    AskId ask = {};
    Answers answers = {};
    std::optional<std::string> reason = {};
    Millis period = {};
    std::string text = {};
};

struct InboxNow {
    Mono mono;
    Instant wall;
};
InboxEffect reduce(InboxState& state, const Key& key, const InboxNow& now);

}  // namespace parley
