// SPDX-License-Identifier: Apache-2.0
// The messages of one session as OpenCode's clients list them. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/opencode_events.h"
#include "dialect/opencode_parts.h"

namespace parley::opencode {

// Folded from the events of the session, from its start. Of more than limits allow the newest are
// kept.
class MessageList {
public:
    // Of `scene` only what does not change from event to event.
    explicit MessageList(const Scene& scene) : scene_(scene) {}

    void add(const Event& event);
    bool is_empty() const { return messages_.empty(); }

    // [{info, parts}], oldest first; of more than `limit`, the newest.
    std::string document(std::size_t limit) const;
    // {info, parts} of the message with that id; "" if there is none.
    std::string find(std::string_view id) const;
    // {info, parts} of the newest message of the agent; "" if there is none.
    std::string last_of_agent() const;

private:
    struct Part {
        std::string id;
        std::string json;
    };
    struct Message {
        std::string id;
        std::string info;
        bool is_user = false;
        std::vector<Part> parts = {};
    };

    Message& put(const MessageInfo& info);
    void put_part(Message& message, std::string id, std::string json);
    void drop_oldest();
    void add_part(const Event& event, const std::shared_ptr<const parley::Part>& part);
    static void write(json::Writer& out, const Message& message);

    Scene scene_;
    std::deque<Message> messages_;
    std::size_t bytes_ = 0;              // of all parts
    std::map<std::string, Call> calls_;  // by call id
};

// An assistant message that says why nobody answers: {info, parts}.
std::string unanswered_prompt(SessionId session, MessageId prompt, Instant at,
                              std::string_view reason, const Scene& scene);

}  // namespace parley::opencode
