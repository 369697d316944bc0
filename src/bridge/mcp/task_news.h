// SPDX-License-Identifier: Apache-2.0
// Tells a client what becomes of the asks that it knows as tasks: in 2025-11-25 each task that it
// made, in 2026-07-28 those that it listens for (subscriptions/listen). A client may also poll, so
// nothing rests on this. Part of a Conversation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/lifetime.h"
#include "client/link.h"
#include "parley/values.h"

namespace parley::mcp {

class Call;
class Conversation;

class TaskNews {
public:
    explicit TaskNews(Conversation& conversation) : conversation_(conversation) {}

    // Legacy: one notification when the ask is settled.
    void announce(const Ask& ask);
    // Modern: opens the stream; it ends when the client closes it.
    void listen(const std::shared_ptr<Call>& call);

private:
    struct Listener {
        std::shared_ptr<Call> call;
        std::size_t looked_for = 0;  // tasks that are not found yet
        std::vector<AskPtr> tasks = {};
        std::vector<LinkWait> waits = {};
    };

    void look_for(std::uint64_t number, const std::vector<AskId>& ids);
    void acknowledge(Listener& listener) const;
    void begin(std::uint64_t number);
    void tell(std::uint64_t number, const AskPtr& ask);

    Conversation& conversation_;
    std::map<AskId, LinkWait> announced_;
    std::unordered_map<std::uint64_t, Listener> listeners_;
    std::uint64_t next_number_ = 1;
    Lifetime alive_;
};

}  // namespace parley::mcp
