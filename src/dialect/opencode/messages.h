// SPDX-License-Identifier: Apache-2.0
// The messages of one session as OpenCode's clients list them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/opencode/events.h"
#include "dialect/opencode/parts.h"

namespace parley::opencode {

// What the messages consist of, and by which event each part stands as it does. Folded from the
// events of the session; holds nothing of what was said, which may be far more than fits in memory.
class MessageOutline {
public:
    struct Part {
        std::uint32_t index = 0;
        Cursor event;
        Cursor call = {};  // of the input, where `event` is a tool's output
    };
    struct Message {
        std::string id;
        std::string info;  // JSON
        bool is_user = false;
        std::vector<Part> parts = {};
    };

    // Of `scene` only what does not change from event to event.
    explicit MessageOutline(const Scene& scene) : scene_(scene) {}

    void add(const Event& event);

    // Oldest first.
    const std::vector<Message>& messages() const { return messages_; }
    // Null if there is none.
    const Message* find(std::string_view id) const;
    const Message* last_of_agent() const;

private:
    Message& put(const MessageInfo& info);
    static Part& put_part(Message& message, std::uint32_t index, Cursor event);
    void add_part(const Event& event, const parley::Part& part);

    Scene scene_;
    std::vector<Message> messages_;
    std::map<std::string, std::size_t, std::less<>> places_;  // by id, in messages_
    std::map<std::string, Cursor> calls_;                     // whose output has not come
};

// The part that stands by `event`, as JSON; `call` is the event of its input, null if it has none
// or that is not kept any more.
std::string part_of(const Event& event, const Event* call);

// An assistant message that says why nobody answers: {info, parts}.
std::string unanswered_prompt(SessionId session, MessageId prompt, Instant at,
                              std::string_view reason, const Scene& scene);

}  // namespace parley::opencode
