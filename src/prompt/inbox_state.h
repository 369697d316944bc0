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
#include "prompt/key_guard.h"
#include "prompt/prompt_state.h"
#include "term/key.h"

namespace parley {

// What an agent said without asking.
struct AgentNotice {
    SessionId session = {};  // nil: it belongs to none
    NoticeGiven::Level level = NoticeGiven::Level::info;
    std::string text = {};
    Instant at = {};
};

enum class InboxScreen : std::uint8_t { list, ask, history, help };

// Something typed here whose ask ended before it was sent.
struct UnsentText {
    std::string ask;
    std::string text;
};

struct InboxSnapshot {
    std::map<AskId, AskPtr> pending = {};
    std::map<AskId, Instant> snoozed_until = {};
};

struct InboxState {
    // What is known; take() and take_state() fold it.
    std::map<AskId, AskPtr> pending = {};
    std::deque<AskPtr> settled = {};  // newest first
    std::map<SessionId, SessionPtr> sessions = {};
    FollowListener::State link = FollowListener::State::retrying;
    bool has_snapshot = false;
    std::map<AskId, Instant> snoozed_until = {};  // by this person, on any device
    // What a snapshot tells; what was known stands until all of it is there.
    std::optional<InboxSnapshot> incoming = {};
    std::optional<AgentNotice> agent_notice = {};  // the last one

    // What is in hand.
    InboxScreen screen = InboxScreen::list;
    InboxScreen under_help = InboxScreen::list;
    std::optional<AskId> selected = {};         // of the list, by id: what arrives moves nothing
    std::optional<AskId> opened = {};           // on the screen `ask`
    std::map<AskId, PromptState> prompts = {};  // of what was opened, with what was typed
    std::map<AskId, Draft> drafts = {};         // of this person, as the broker keeps them
    std::string device = {};                    // what the drafts of this inbox are called
    bool shows_snoozed = false;
    std::size_t history_cursor = 0;
    std::size_t page_rows = 10;  // of the list or the history, in the last picture
    std::string search = {};
    bool is_searching = false;
    bool has_decided = false;              // the opened ask was settled from here
    bool is_dismissing_from_list = false;  // whoever thinks better of it wants the list again
    std::string ended = {};  // how the opened ask ended by itself; Esc goes back to the list
    std::string notice = {};
    std::vector<UnsentText> unsent = {};

    // Against keys that were meant for another picture: a key acts on the ask that it was pressed
    // on, or on nothing.
    KeyGuard guard = {};
    std::optional<AskId> shown = {};  // in hand in the last picture, on the list or opened

    // What is shown in the list, in order: by urgency, then the oldest first.
    std::vector<AskPtr> rows(Instant now) const;
    bool is_snoozed(AskId id, Instant now) const;
    std::size_t snoozed(Instant now) const;
    std::size_t selected_row(const std::vector<AskPtr>& rows) const;
    PromptState* prompt();
    AskPtr opened_ask() const;
    // Something was typed into it, here or on another device, and not sent.
    bool has_draft(AskId id) const;
    // What the broker does not keep yet of what was typed into it.
    std::optional<Draft> unsaved(AskId id) const;
    // "api-server", or the id's end where the session has no name.
    std::string session_name(SessionId id) const;

    void open(const AskPtr& ask);
    void close();
    // The drawing tells which ask it shows in hand.
    void was_shown(std::optional<AskId> ask);
};

struct InboxNow {
    Mono mono;
    Instant wall;
};

// What a frame changes. `shown_time` gives a time of day as this person reads it.
struct InboxNews {
    std::vector<AskPtr> arrived = {};  // after the snapshot: what a person may be told of
};
using ShownTime = std::string (*)(Instant);
InboxNews take(InboxState& state, const Frame& frame, ShownTime shown_time, const InboxNow& now);
// An ask that is settled, as a frame or the reply to what was sent from here tells it.
void take_settled(InboxState& state, const AskPtr& ask, ShownTime shown_time, const InboxNow& now);
// The person has put it off, here or in another inbox of theirs, or wants it back.
void take_snooze(InboxState& state, AskId ask, std::optional<Instant> until, const InboxNow& now);
// A draft as the broker has it now. One of another device never takes the place of what is being
// typed here: it is offered.
void take_draft(InboxState& state, AskId ask, const Draft& draft, const InboxNow& now);
// What was typed into an ask that is settled already, or that the broker could not be given, is
// told once more when the inbox ends.
void keep_unsent(InboxState& state, const Ask& ask);
// Asks of before for the history, the last decision first.
void take_history(InboxState& state, const std::vector<AskPtr>& asks);

struct InboxEffect {
    enum class Kind : std::uint8_t {
        none,
        quit,
        suspend,
        interrupt,
        answer,       // `ask` with `answers`
        dismiss,      // `ask`, for `reason`
        snooze,       // `ask`, for `period`; for none: what was put off waits again
        keep_draft,   // `ask` was left with something in it that the broker does not keep yet
        open_editor,  // on `text`; then edited() of the prompt
    };

    Kind kind = Kind::none;
    AskId ask = {};
    Answers answers = {};
    std::optional<std::string> reason = {};
    Millis period = {};
    std::optional<Instant> snoozed_before = {};  // of a snooze: what stands if it fails
    std::string text = {};
};

InboxEffect reduce(InboxState& state, const Key& key, const InboxNow& now);

}  // namespace parley
