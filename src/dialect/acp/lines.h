// SPDX-License-Identifier: Apache-2.0
// The Agent Client Protocol, version 1, from the editor's side: the lines that an agent writes, and
// those that are written to it. JSON-RPC, one object a line. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "dialect/acp/form.h"
#include "dialect/acp/permission.h"
#include "text/json.h"

namespace parley::acp {

// An MCP server that the agent is to start.
struct McpServer {
    std::string name;
    std::vector<std::string> command;
    std::vector<std::string> variables;  // "NAME=value"
};

struct SessionPlace {
    std::string folder;
    std::vector<McpServer> servers;
};

// What the client writes; each ends with its newline.
std::string initialize_line(std::int64_t id, std::string_view version);
std::string new_session_line(std::int64_t id, const SessionPlace& place);
// `method` is one of those below.
std::string known_session_line(std::int64_t id, std::string_view method, std::string_view session,
                               const SessionPlace& place);
std::string prompt_line(std::int64_t id, std::string_view session,
                        std::span<const std::string> texts);
// How an agent works: it asks before it acts, plans only, … Told in a place of its own, or as one
// of the session's options.
struct Modes {
    std::string current;
    std::vector<std::string> known;
    std::string option = {};  // its id, if it is one
};
// Of a session that was opened, or of an update.
Modes read_modes(const json::Value& told);
// By its id; of one that is an address, by what stands behind its '#' too. Null: there is none.
const std::string* find_mode(const Modes& modes, std::string_view wanted);
std::string mode_line(std::int64_t id, std::string_view session, const Modes& modes,
                      std::string_view mode);
std::string cancel_line(std::string_view session);
// `request` is the agent's own id, as JSON; `result` is JSON.
std::string reply_line(std::string_view request, std::string_view result);
std::string refusal_line(std::string_view request, std::int64_t code, std::string_view message);
// Towards whoever was asked: the request is wanted no longer.
std::string cancel_request_line(std::string_view request);

inline constexpr std::string_view kLoad = "session/load";      // tells all of it again
inline constexpr std::string_view kResume = "session/resume";  // tells nothing
inline constexpr std::int64_t kNoMethod = -32601;
inline constexpr std::int64_t kSignInNeeded = -32000;

// What an agent says about itself.
struct AgentFacts {
    std::string title;  // "" if it gives none
    std::string version;
    bool can_load = false;
    bool can_resume = false;
    // Its records are named by the minute: a session that is loaded in the one in which it was
    // begun is overwritten, and lost.
    bool keeps_by_minute = false;
    // A call of which it does not tell the input yet has the tool's own name for a title.
    bool titles_are_names = false;
};
AgentFacts read_facts(const json::Value& initialized);

// "end_turn", "cancelled", …
std::string stop_reason(const json::Value& prompted);

// What the agent wants from its client.
struct UnknownWish {
    std::string method;
};
using Wish = std::variant<UnknownWish, PermissionWish, FormWish>;
struct Request {
    std::string id;  // as JSON
    Wish wish;
};
// It wants it no longer.
struct RequestCancelled {
    std::string id;
};
// What an address was opened for is done.
struct FormCompleted {
    std::string form;
};
// The answer to a request of the client.
struct Reply {
    std::int64_t id = 0;
    json::Value result = {};
    std::optional<std::int64_t> code = {};  // of a refusal
    std::string error = {};
};
struct Update {
    std::string session;
    json::Value update;
};
struct Noise {};

using Line = std::variant<Noise, Request, RequestCancelled, FormCompleted, Reply, Update>;
// Lines of a kind that is not known are noise; what is not a JSON object is an Error.
[[nodiscard]] Result<Line> read_line(std::string_view line);

// For who reads one line as both: what is parsed once.
[[nodiscard]] Result<json::Value> parse_line(std::string_view line);
Line line_of(const json::Value& parsed);

// A line of either side as what stands between them sees it.
struct Envelope {
    std::string id = {};      // as JSON; empty: a notification
    std::string method = {};  // empty: a reply
    json::Value params = {};
    json::Value result = {};
    bool is_refusal = false;
};
Envelope envelope_of(const json::Value& parsed);

}  // namespace parley::acp
