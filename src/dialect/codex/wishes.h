// SPDX-License-Identifier: Apache-2.0
// What Codex wants a person to decide: its questions, its approvals of commands, edits, permissions
// and MCP tools, and the forms of MCP servers. Each is one ask, and a settlement is the reply that
// Codex takes for it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/codex/messages.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::codex {

// The agent of the asks.
inline constexpr std::string_view kAgent = "codex";

struct Wish {
    enum class Kind : std::uint8_t {
        questions,
        command,
        edit,
        permissions,
        tool,  // of an MCP server
        form,  // of an MCP server, as `link`
        link,
        plan,   // that it has made; Codex itself asks nothing then
        other,  // nothing that a person decides
    };

    Kind kind = Kind::other;
    std::string id;  // of the request, as JSON
    std::string method;
    std::string thread = {};
    std::string turn = {};
    std::string item = {};  // what of the turn it is about; forms have none
    json::Value params = {};
    std::string server = {};  // which of Codex's servers wants it, where there is more than one
};
Wish read_wish(ServerRequest request);

// Whether it is to carry out what it has planned in this turn: a client asks that by itself.
Wish plan_wish(std::string thread, std::string turn, std::string_view plan);
// Of the ruling about it.
bool carries_out(std::string_view result);

// The same request of the same turn has the same key, also from another connection. What belongs to
// no turn is told apart by its server: each counts its requests from the beginning.
std::string wish_key(const Wish& wish);

// Whether it is about a tool or a form of Parley's own: that asks by itself.
bool is_own(const Wish& wish);
// What passes such a wish by rule where nobody else decides it; empty: a person decides. A form is
// closed, and its question waits on; a tool is allowed only if its server is the one that Parley
// itself has set up.
std::string pass_result(const Wish& wish);
// The MCP tool that a wish is about.
std::string wanted_tool(const Wish& wish);

// `edit` is the item that a wish to edit is about, null where Codex has not told it. `complaint`
// says what did not fit the last time. `has_window`: it can be answered in Codex itself as well.
struct Surroundings {
    json::Value edit = {};
    std::string complaint = {};
    bool has_window = true;
};
[[nodiscard]] Result<AskSpec> make_spec(const Wish& wish, const Surroundings& surroundings);

struct Ruling {
    std::string result;      // JSON, for Codex
    std::string words = {};  // what the result has no room for, to be said to the model after it
    bool permits = false;    // of an approval
};
// Of a settled ask that make_spec() made. The Error says what of a form does not fit.
[[nodiscard]] Result<Ruling> read_ruling(const Wish& wish, const Ask& settled);

// Whether a ruling about this one shows in what becomes of its item, and whether the item, which is
// over, was let be done; none if that is not to be seen.
bool shows_in_item(const Wish& wish);
std::optional<bool> was_permitted(const json::Value& item);

// Nobody could be asked: the model is told so, and nothing is permitted.
Ruling refusal(const Wish& wish, std::string_view why);

}  // namespace parley::codex
