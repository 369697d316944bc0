// SPDX-License-Identifier: Apache-2.0
// The one write of a store, as values: what is to change, and what became of it. A change names
// everything that the transaction needs, so applying it twice has the effect of applying it once:
// that is what lets a batch whose outcome is unknown be offered again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/event.h"
#include "core/mark.h"
#include "core/token.h"
#include "core/viewer.h"
#include "parley/requests.h"
#include "parley/values.h"

namespace parley {

// refused: the mark that it rests on says something else.
enum class Verdict : std::uint8_t { applied, existing, conflict, missing, refused };

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
    // Only while the mark of this key has this value; else refused. Null: always.
    MarkPtr only_while = {};
};

// Blanks what a settled ask said, and what was said to it (core/content.h). existing if that was
// done before, conflict if it is pending, missing no such ask.
struct DeleteContent {
    AskId ask;
    Instant at;
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
    // Unless it has one: the first stays. Where people ask by default is nobody's.
    std::optional<std::string> owner = {};
};
inline Session changed_by(const ChangeSession& change, Session session) {
    if (change.title) session.title = change.title;
    if (change.ask_timeout) session.ask_timeout = *change.ask_timeout;
    if (change.activity) session.activity = *change.activity;
    if (change.owner && session.owner.empty() && session.name != kDefaultSession)
        session.owner = *change.owner;
    return session;
}

// Ends a session and withdraws its pending asks with `withdrawal`, in ask order, before the end.
// existing if it had ended before, conflict if it has pending asks of others than `only_asker`.
struct EndSession {
    SessionId session;
    Instant at;
    std::optional<std::string> reason;
    std::shared_ptr<const Settlement> withdrawal;
    std::optional<std::string> only_asker = {};
};

struct AddPart {
    SessionId session;
    Instant at;
    std::shared_ptr<const Part> part;
};

struct AddMessage {
    SessionId session;
    Instant at;
    // existing if that message id is there; conflict if another node has added a later one, since
    // who takes messages up to one has taken all before it.
    MessageAdded message;
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

// A responder's unsent answers. existing is what stands already, conflict one that is newer than
// what the writer has seen, missing an ask that is not pending.
struct PutDraft {
    AskId ask;
    Instant at;
    std::string principal;
    DraftRequest draft;
};
struct DraftStep {
    Verdict verdict;
    DraftPtr draft;  // what stands then; null where there was and is none
};
// `standing` is what stood before, or null. What was dropped is nothing that could be overwritten,
// and its version counts on.
inline DraftStep drafted_by(const PutDraft& change, const DraftPtr& standing) {
    const DraftRequest& request = change.draft;
    const std::uint64_t version = standing ? standing->version : 0;
    if (standing ? standing->answers == request.answers : request.answers.empty())
        return {Verdict::existing, standing};
    if (standing && !standing->is_dropped() && request.seen && *request.seen < version)
        return {Verdict::conflict, standing};
    return {Verdict::applied, std::make_shared<const Draft>(Draft{
                                  .answers = request.answers,
                                  .device = request.device,
                                  .version = std::max(request.seen.value_or(0), version + 1)})};
}

// Hides a pending ask from one responder's inbox; nullopt shows it again. existing if it stands so
// already, missing an ask that is not pending.
struct PutSnooze {
    AskId ask;
    Instant at;
    std::string principal;
    std::optional<Instant> until;
};

// existing if it is there, conflict if the name is taken by a token with another hash that it does
// not replace, or the person's name by another principal.
struct PutToken {
    TokenPtr token;
    bool replaces = false;  // the one of that name, of the same principal
};

// Gives the tokens of a principal the person's name. existing if they have it, conflict if another
// principal has it, missing if the principal has no token.
struct NamePerson {
    std::string principal;
    Instant at;
    std::string person;
};

// existing if it was used then or later, missing if there is none of that name.
struct TouchToken {
    std::string name;
    Instant used_at;
};

// missing if there is none of that name. With the last one of an agent that is told too.
struct DropToken {
    std::string name;
    Instant at;
};

// Sets a mark, or drops it where `value` is none. existing is what stands already, conflict where
// another value stands than `expected`, missing one to drop that is not there.
struct PutMark {
    std::string key;
    Instant at;
    std::optional<std::string> value = {};
    std::optional<Instant> expires_at = {};
    // What must stand before; nullopt: whatever does. An empty one: no mark.
    std::optional<std::string> expected = {};
};
// `standing` is what stood before, or null.
inline Verdict verdict_on(const PutMark& change, const MarkPtr& standing) {
    if (!change.value && !standing) return Verdict::missing;
    if (change.value && standing && standing->value == *change.value &&
        standing->expires_at == change.expires_at)
        return Verdict::existing;
    if (change.expected && *change.expected != (standing ? standing->value : ""))
        return Verdict::conflict;
    return Verdict::applied;
}
inline MarkPtr marked_by(const PutMark& change) {
    if (!change.value) return nullptr;
    return std::make_shared<const Mark>(Mark{.key = change.key,
                                             .value = *change.value,
                                             .at = change.at,
                                             .expires_at = change.expires_at});
}
inline bool holds(const Mark& wanted, const MarkPtr& standing) {
    return standing && standing->value == wanted.value;
}

using Change = std::variant<OpenAsk, SettleAsk, OpenSession, ChangeSession, EndSession, AddPart,
                            AddMessage, TakeMessages, GiveNotice, PutDraft, PutSnooze, PutToken,
                            NamePerson, TouchToken, DropToken, PutMark, DeleteContent>;

struct ChangeOutcome {
    Verdict verdict = Verdict::applied;
    AskPtr ask = {};          // OpenAsk, SettleAsk, DeleteContent: the ask as it stands now
    SessionPtr session = {};  // OpenSession, ChangeSession, EndSession: the session as it stands
    DraftPtr draft = {};      // PutDraft: the draft as it stands
};

}  // namespace parley
