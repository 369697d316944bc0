// SPDX-License-Identifier: Apache-2.0
// The marks that Parley keeps, by kind. Each says whose it is and what its value means.
#pragma once

#include <string>
#include <string_view>

#include "parley/ids.h"

namespace parley::marks {

// seat/SESSION: the connection that holds a chat session (door/chat).
inline constexpr std::string_view kSeat = "seat/";
// spent/HASH: a link to sign in that was used (door/sign_in.h). Expires with the link.
inline constexpr std::string_view kSpent = "spent/";
// invited/NAME: the principal that a link was made for by a name that nobody has yet, until it is
// used or runs out.
inline constexpr std::string_view kInvited = "invited/";
// letter/CONVERSATION/ID: what an MCP client said to a node that cannot use it, for the one that
// can (door/mcp/letters.h). Expires soon.
inline constexpr std::string_view kLetter = "letter/";
// round/ASK: a modern MCP client came back for the answer, at another node than it left. Expires
// soon.
inline constexpr std::string_view kRound = "round/";
// ended/CONVERSATION: one that its MCP client has ended. Expires when nobody remembers it.
inline constexpr std::string_view kEnded = "ended/";
// told/EVENT/ASK: the node whose notify.command is run for it (app/serve/notifier.h). Expires soon.
inline constexpr std::string_view kTold = "told/";
// node/ID: a node that is there, "BEAT/TIMEOUT NAME" (broker/nodes.h).
inline constexpr std::string_view kNode = "node/";
// agent/SESSION: the node that the session's agent listens at, "ID NAME" (broker/nodes.h).
inline constexpr std::string_view kAgent = "agent/";

inline std::string seat(SessionId session) {
    return std::string(kSeat) + session.str();
}
inline std::string agent(SessionId session) {
    return std::string(kAgent) + session.str();
}

}  // namespace parley::marks
