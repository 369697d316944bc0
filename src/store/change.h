// SPDX-License-Identifier: Apache-2.0
// The one write of a store, as values: what is to change, and what became of it. A change names
// everything that the transaction needs, so applying it twice has the effect of applying it once:
// that is what lets a batch whose outcome is unknown be offered again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/event.h"
#include "core/token.h"
#include "parley/values.h"

namespace parley {

// Opens an ask in a live session. The session and the ask's key, or the session and its tool's call
// id, name it: existing is an ask that was opened under the same name with the same questions (or
// the same ask id), conflict one with other questions, missing an unknown or ended session.
struct OpenAsk {
    AskPtr ask;
};

// Settles a pending ask: the compare-and-set that decides who was first. existing is the same
// settlement again (is_repeat), conflict another one that stands, missing no such ask.
struct SettleAsk {
    AskId ask;
    std::shared_ptr<const Settlement> settlement;
    // The pending ask, if the caller holds it: it saves the engine from reading the ask back.
    AskPtr known = {};
};

// Opens a session. existing is a live session of the same name, or the same id.
struct OpenSession {
    SessionPtr session;
};

// Gives a live session what is set here; the rest stays as it stands then, whatever other change
// was on its way. missing if it is not there.
struct ChangeSession {
    SessionId session;
    Instant at;
    std::optional<std::string> title = {};
    std::optional<std::optional<Millis>> ask_timeout = {};
    std::optional<Activity> activity = {};
};
inline Session changed_by(const ChangeSession& change, Session session) {
    if (change.title) session.title = change.title;
    if (change.ask_timeout) session.ask_timeout = *change.ask_timeout;
    if (change.activity) session.activity = *change.activity;
    return session;
}

// Ends a session and withdraws its pending asks with `withdrawal`, in ask order, before the end.
// existing if it had ended before.
struct EndSession {
    SessionId session;
    Instant at;
    std::optional<std::string> reason;
    std::shared_ptr<const Settlement> withdrawal;
};

struct AddPart {
    SessionId session;
    Instant at;
    std::shared_ptr<const Part> part;
};

struct AddMessage {
    SessionId session;
    Instant at;
    MessageAdded message;  // existing if that message id is there
};

struct TakeMessages {
    SessionId session;
    Instant at;
    MessageId up_to;
};

struct GiveNotice {
    SessionId session;  // nil: belongs to no session
    Instant at;
    NoticeGiven notice;
};

// A responder's unsent answer; null drops it. missing if the ask is not pending.
struct PutDraft {
    AskId ask;
    Instant at;
    std::string principal;
    std::shared_ptr<const Answers> answers;
};

// Hides a pending ask from one responder's inbox; nullopt shows it again. Makes no event.
struct PutSnooze {
    AskId ask;
    std::string principal;
    std::optional<Instant> until;
};

// Makes no event. conflict if the name is taken by a token with another hash.
struct PutToken {
    TokenPtr token;
};

// Makes no event. missing if there is none of that name.
struct DropToken {
    std::string name;
};

using Change =
    std::variant<OpenAsk, SettleAsk, OpenSession, ChangeSession, EndSession, AddPart, AddMessage,
                 TakeMessages, GiveNotice, PutDraft, PutSnooze, PutToken, DropToken>;

enum class Verdict : std::uint8_t { applied, existing, conflict, missing };

struct ChangeOutcome {
    Verdict verdict = Verdict::applied;
    AskPtr ask = {};          // OpenAsk, SettleAsk: the ask as it stands now
    SessionPtr session = {};  // OpenSession, ChangeSession, EndSession: the session as it stands
};

}  // namespace parley
