// SPDX-License-Identifier: Apache-2.0
// The Mcp-Session-Id of a legacy client. It says itself who the client is, and is signed for one
// caller: every node that has the owner's token can go on with the conversation, also after a
// restart, and nothing is remembered of it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/mcp/client.h"

namespace parley::mcp {

// Who signs, and for whom.
struct IdSeal {
    std::string key;
    std::string right;  // the caller's
};

// Two of them are two conversations.
std::string write_conversation_id(const ClientInfo& client, const IdSeal& seal);
// None: not one of ours, or another caller's.
std::optional<ClientInfo> read_conversation_id(std::string_view id, const IdSeal& seal);

// A few characters that tell it from others.
std::string_view tag_of(std::string_view conversation_id);

}  // namespace parley::mcp
