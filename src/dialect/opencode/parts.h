// SPDX-License-Identifier: Apache-2.0
// One message and one part of it, as OpenCode's clients know them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dialect/opencode/events.h"

namespace parley::opencode {

// The call that an ask is shown as: the agent's own where it has one, else made from the ask's id.
ToolCall shown_call(const Ask& ask);
std::string part_id(const PartPlace& place);
// When a message was begun; its id says it.
Instant time_of(MessageId message);

struct MessageInfo {
    std::string id;
    std::string session;
    bool is_user = false;
    Instant created = {};
    std::optional<Instant> completed = {};
    std::string_view finish = {};  // why the agent stopped; "" if it did not
    std::string agent = {};
    std::string parent = {};  // the prompt that it answers
    std::string error = {};   // why there is no answer
    bool is_aborted = false;
};
MessageInfo info_of(const Ask& ask);
MessageInfo info_of(SessionId session, MessageId message);
MessageInfo info_of(SessionId session, const MessageAdded& message, Instant at);
void write_info(json::Writer& out, const MessageInfo& info, const Scene& scene);

// Parts, each a JSON object.
enum class AskPart : std::uint8_t {
    pending,  // before its input is known
    current,  // running, completed or failed, as the ask is
};
std::string ask_part(const Ask& ask, AskPart form);
std::string agent_part(SessionId session, const Part& part, Instant at, const Call* call);
std::string unfinished_part(const PartDelta& delta);
std::string user_part(SessionId session, const MessageAdded& message);

}  // namespace parley::opencode
