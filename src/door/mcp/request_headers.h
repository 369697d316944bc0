// SPDX-License-Identifier: Apache-2.0
// What the headers of a request to /mcp must say, in either generation of the protocol.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/exchange.h"
#include "wire/json_rpc.h"

namespace parley::mcp {

inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr int kRefused = -32000;  // of the transport, not of a message

// What is wrong with the headers of a request; each check gives nullopt if nothing is.
struct HeaderFault {
    int status = 400;
    int code = kRefused;
    std::string message;
};

bool says_modern(const net::Exchange& exchange);

// Of a message: it may be answered by a document or by a stream.
std::optional<HeaderFault> check_posted(const net::Exchange& exchange);
// Of who wants to listen, or to end a conversation: modern clients do neither.
std::optional<HeaderFault> check_listening(const net::Exchange& exchange);
std::optional<HeaderFault> check_ending(const net::Exchange& exchange);
// Of a message in a conversation of an older version.
std::optional<HeaderFault> check_legacy(const net::Exchange& exchange);
// Of a modern request: they repeat its body.
std::optional<HeaderFault> check_modern(const net::Exchange& exchange,
                                        const wire::rpc::Request& request);

}  // namespace parley::mcp
