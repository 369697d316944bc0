// SPDX-License-Identifier: Apache-2.0
// What happened, in commit order: the one event vocabulary that every door renders in its own way.
// Durable events carry a cursor; deltas of text and tool input do not (see PartDelta).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "parley/ids.h"
#include "parley/values.h"

namespace parley {

struct AskOpened {
    AskPtr ask;
};

struct AskSettled {
    AskPtr ask;  // with its settlement
};

// What a settled ask said, and what was said to it, is not kept any more. Earlier events of it tell
// the rest.
struct ContentDeleted {
    AskId ask;
    std::string asker = {};
};

// A responder's unsent answers changed; only that responder is told.
struct DraftChanged {
    AskId ask;
    std::string principal;
    DraftPtr draft;
};

// A responder put a pending ask off, or wants it again; only that responder is told.
struct SnoozeChanged {
    AskId ask;
    std::string principal;
    std::optional<Instant> until;  // nullopt: it waits again
};

struct SessionCreated {
    SessionPtr session;
};

// The agent says it works or rests, or a title or policy was set.
struct SessionChanged {
    SessionPtr session;
};

struct SessionEnded {
    SessionPtr session;
    std::optional<std::string> reason;
};

// Where a part stands: in which message of the agent, which is one turn's, and as which of its
// parts. The input and the output of one tool call stand in one place. Nil where nothing said it.
struct PartPlace {
    MessageId message = {};
    std::uint32_t index = 0;

    bool operator==(const PartPlace&) const = default;
};

// A whole part of the agent's stream, written once it is complete.
struct Part {
    enum class Kind : std::uint8_t { text, tool_input, tool_input_error, tool_output, finish };

    Kind kind = Kind::text;
    std::string part_id = {};  // the part's id for text, the call id for tools
    std::string tool = {};     // the tool's name
    std::string body = {};     // text as it is; tool input and output as JSON text
    bool is_error = false;     // of a tool_output
    PartPlace place = {};      // set by the broker

    bool operator==(const Part&) const = default;
};

struct PartAdded {
    std::shared_ptr<const Part> part;
};

// A person speaks to the agent of the session.
struct MessageAdded {
    MessageId id;
    std::string text;
    Decider by;
};

// The agent took the messages up to and including this one.
struct MessagesTaken {
    MessageId up_to;
};

struct NoticeGiven {
    enum class Level : std::uint8_t { info, warning, error };

    std::string text;
    Level level = Level::info;
    std::string by = {};  // who speaks, as authenticated
};

// The last token of an agent was revoked: what it asked waits on, and nobody waits for the answer.
struct AgentRevoked {
    std::string principal;
};

// Who may was changed. It is the broker's own memory: nobody is ever told of it.
struct Token;
struct TokenChanged {
    std::string name;
    std::shared_ptr<const Token> token;  // as it stands now; null: revoked
};

// What the nodes on one store keep for each other was changed. Nobody is ever told of it either.
struct Mark;
struct MarkChanged {
    std::string key;
    std::shared_ptr<const Mark> mark;  // as it stands now; null: dropped
};

using EventBody =
    std::variant<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                 SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked,
                 TokenChanged, MarkChanged, ContentDeleted>;

struct Event {
    Cursor cursor;
    Instant at;
    SessionId session;  // nil for what belongs to no session
    EventBody body;
};

using EventPtr = std::shared_ptr<const Event>;

// More of an unfinished part. Lives only in memory, so it has no cursor: who resumes inside the
// part gets it again from its start, marked as a replacement.
struct PartDelta {
    enum class Kind : std::uint8_t { text, tool_input };

    SessionId session;
    Kind kind = Kind::text;
    std::string part_id;
    std::string tool = {};
    std::string text;
    bool is_start = false;        // nothing of this part was sent before
    bool is_replacement = false;  // the part again from its start
    PartPlace place = {};         // set by the broker
};

using PartDeltaPtr = std::shared_ptr<const PartDelta>;

// The end of a part. Without a body it is what the deltas before it added up to.
struct StreamPart {
    Part part;
    bool has_body = true;

    bool operator==(const StreamPart&) const = default;
};

// One thing that an agent adds to its stream. The session of a PartDelta is left nil here: the
// stream says it.
using StreamItem = std::variant<PartDelta, StreamPart, Activity>;

// What a subscriber is given, one after the other. One that comes without a cursor first gets every
// pending ask, then the cursor at which this was taken; neither has a cursor of its own.
struct SnapshotAsk {
    AskPtr ask;
    std::optional<Instant> snoozed_until = {};  // by the one who is told
};
struct SnapshotEnd {
    Cursor cursor;
};
// The subscriber's cursor is older than what is kept, or of another store; a snapshot follows.
struct Reset {};

using Frame = std::variant<EventPtr, PartDeltaPtr, SnapshotAsk, SnapshotEnd, Reset>;

std::string_view to_string(NoticeGiven::Level level);
std::string_view to_string(Part::Kind kind);

}  // namespace parley
