// SPDX-License-Identifier: Apache-2.0
// OpenCode from its clients' side: what its server tells on /global/event, and what it is sent. The
// other files of this folder are the door, which stands in its place. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/json.h"

namespace parley::opencode {

// The agent of the asks, and what people call it.
inline constexpr std::string_view kAgent = "opencode";
inline constexpr std::string_view kCalled = "OpenCode";

struct ServerEvent {
    std::string directory;  // whose it is; "" for what belongs to none
    std::string type;
    json::Value properties = {};
};
[[nodiscard]] Result<ServerEvent> read_server_event(std::string_view data);

// One of its sessions, as far as we need it.
struct SessionFacts {
    std::string id;
    std::string title = {};
    std::string directory = {};
    std::string parent = {};  // "" unless it is a sub-agent's
    std::string agent = {};   // which of its agents speaks there
    std::string driver = {};  // the session of ours that drives it; "" if none does
};
SessionFacts read_session_facts(const json::Value& info);
// The facts in what GET /experimental/session gives, the newest first.
std::vector<SessionFacts> read_session_list(const json::Value& list);

// The sessions at work in what GET /session/status gives.
std::vector<std::string> read_busy(const json::Value& status);

// How a session of it is, in an event of type session.status; nullopt for other events.
struct SessionStatus {
    bool is_busy = false;
    std::string retry = {};  // why its model is asked again; "" if it is not
};
std::optional<SessionStatus> read_status(const ServerEvent& event);

// What went wrong in a turn, from session.error. One that was stopped says so.
struct TurnError {
    std::string text;
    bool is_stop = false;
};
TurnError read_error(const json::Value& properties);

// Which of its agents a person can speak to, in what GET /agent gives.
std::vector<std::string> read_agents(const json::Value& list);

// The body of a refusal in words; "" if it has none.
std::string refusal_text(std::string_view body);

// `driver` is the name of our session, which other bridges of ours see there.
std::string new_session_body(std::string_view title, std::string_view driver);

struct PromptChoice {
    std::string model = {};  // "PROVIDER/MODEL"; "" leaves it to OpenCode
    std::string agent = {};
};
// `mark` finds the message again in what GET /session/ID/message gives; "" for none.
std::string prompt_body(const std::vector<std::string>& texts, const PromptChoice& choice,
                        std::string_view mark = {});
bool has_marked(const json::Value& messages, std::string_view mark);

}  // namespace parley::opencode
