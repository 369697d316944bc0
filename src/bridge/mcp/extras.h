// SPDX-License-Identifier: Apache-2.0
// What a program offers on the MCP server beside the tools that ask: further methods and tools. The
// broker's own server has none. Belongs to the loop's thread.
#pragma once

#include <memory>

#include "dialect/mcp/client.h"
#include "text/json.h"

namespace parley::mcp {

class Call;
class Conversation;

class Extras {
public:
    virtual ~Extras() = default;

    // Adds members to the server's capabilities.
    virtual void write_capabilities(json::Writer& out, const ClientInfo& client) const = 0;
    // Adds entries to the list of tools.
    virtual void write_tools(json::Writer& out, const ClientInfo& client) const = 0;
    // Looks at a call before anything else does. True: it is taken, and answered in time.
    virtual bool take(Conversation& conversation, const std::shared_ptr<Call>& call) = 0;
};

}  // namespace parley::mcp
