// SPDX-License-Identifier: Apache-2.0
// The ids of the requests that a conversation sends to its client, "parley-3f09ac-7". They tell
// which node's they are, where several have a conversation with the same client. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/json_rpc.h"

namespace parley::mcp {

inline constexpr std::string_view kCancelled = "notifications/cancelled";

class RequestIds {
public:
    RequestIds();

    // Tells this conversation from the same one elsewhere.
    const std::string& mark() const { return mark_; }
    wire::rpc::Id id(std::uint64_t number) const;
    // None: of another conversation.
    std::optional<std::uint64_t> number(const wire::rpc::Id& id) const;

private:
    std::string mark_;
};

// The request that it replies to; null if it is no reply.
const wire::rpc::Id* replied_to(const wire::rpc::Message& message);

// Whether what is no request can be about something that is open at another node.
bool may_be_awaited(const wire::rpc::Message& message);

}  // namespace parley::mcp
