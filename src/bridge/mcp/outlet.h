// SPDX-License-Identifier: Apache-2.0
// Where what belongs to one request of an MCP client goes: a line of standard output, an HTTP
// response, an event stream. Belongs to the loop's thread.
#pragma once

#include <string>
#include <utility>

namespace parley::mcp {

class Outlet {
public:
    virtual ~Outlet() = default;

    // The answer will take long: whatever keeps the client from giving up begins now.
    virtual void hold() = 0;
    // A notification, or a request of ours, that belongs to the client's request.
    virtual void send(std::string message) = 0;
    // The same for what means nothing later, such as progress.
    virtual void send_passing(std::string message) { send(std::move(message)); }
    // The answer; `code` is that of an error, or 0. Nothing follows it.
    virtual void finish(std::string message, int code) = 0;
};

}  // namespace parley::mcp
