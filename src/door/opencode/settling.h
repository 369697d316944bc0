// SPDX-License-Identifier: Apache-2.0
// What replies to questions and to permissions have in common: finding the pending ask that a
// request means, settling it, and telling who comes too late what stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/unique_function.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"

namespace parley::opencode {

// The session of /session/{sessionID}…; nothing if it was answered with 404.
std::optional<SessionId> path_session(OpenCodeDoor& door, net::Exchange& exchange,
                                      Generation generation);

// Whether {requestID} has the form of a question's id; it is answered if not.
bool has_question_id(const OpenCodeDoor& door, net::Exchange& exchange, Generation generation);

// A request to settle an ask.
struct Target {
    OpenCodeDoor& door;
    net::Exchange exchange;
    Generation generation;
    const Missing& missing;

    // Whether the request's session, or its directory, is the ask's.
    bool is_meant(const Ask& ask) const;
    void reply_error(const Error& error) { opencode::reply_error(exchange, generation, error); }
};

// Calls `found` with the pending ask of the path. One that this node has not heard of yet is looked
// for in the store: another may have opened it just now. If there is none, that is told.
void with_pending(Target target, UniqueFunction<void(Target, const AskPtr&)> found);

// 404, or "true" where the server was told to answer as older ones did.
void tell_missing(Target target);

enum class Then : std::uint8_t { go_on, stop };  // what the agent's turn does
void answer(Target target, const AskPtr& ask, Answers answers, Then then);
// A rejected question stops the turn, once nothing else of its session is asked.
void dismiss(Target target, const AskPtr& ask);

}  // namespace parley::opencode
