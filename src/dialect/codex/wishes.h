// SPDX-License-Identifier: Apache-2.0
// What Codex wants a person to decide: its questions, its approvals of commands, edits, permissions
// and MCP tools, and the forms of MCP servers. Each is one ask, and a settlement is the reply that
// Codex takes for it. Pure functions.
#pragma once

#include <cstdint>
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
        other,  // nothing that a person decides
    };

    Kind kind = Kind::other;
    std::string id;  // of the request, as JSON
    std::string method;
    std::string thread = {};
    std::string turn = {};
    std::string item = {};  // what of the turn it is about; forms have none
    json::Value params = {};
};
Wish read_wish(ServerRequest request);

// The same request of the same turn has the same key, also from another connection.
std::string wish_key(const Wish& wish);
// The thread in such a key.
std::string_view thread_of_key(std::string_view key);

// Whether it is about a tool or a form of Parley's own: that asks by itself.
bool is_own(const Wish& wish);

// `edit` is the item that a wish to edit is about, null where Codex has not told it. `complaint`
// says what did not fit the last time.
struct Surroundings {
    json::Value edit = {};
    std::string complaint = {};
};
[[nodiscard]] Result<AskSpec> make_spec(const Wish& wish, const Surroundings& surroundings);

struct Verdict {
    std::string result;      // JSON, for Codex
    std::string words = {};  // what the result has no room for, to be said to the model after it
};
// Of a settled ask that make_spec() made. The Error says what of a form does not fit.
[[nodiscard]] Result<Verdict> read_verdict(const Wish& wish, const Ask& settled);

// Nobody could be asked: the model is told so, and nothing is permitted.
Verdict refusal(const Wish& wish, std::string_view why);

}  // namespace parley::codex
