// SPDX-License-Identifier: Apache-2.0
// The tools that an MCP client is offered (ask_user, wait_answer, notify_user), the arguments they
// take and the results they give. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "parley/event.h"
#include "parley/requests.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

inline constexpr std::string_view kAskUser = "ask_user";
// The same tool for clients that keep the name above for one of their own.
inline constexpr std::string_view kAskPerson = "ask_person";
inline constexpr std::string_view kWaitAnswer = "wait_answer";
inline constexpr std::string_view kNotifyUser = "notify_user";

// What the model is told about the server as a whole.
std::string instructions(std::string_view ask_tool);

// Whether a tool may have this name, and none of the others has it.
bool is_ask_tool_name(std::string_view name);

struct ToolListing {
    std::string_view ask_tool = kAskUser;  // the name of ask_user
    bool may_be_tasks = false;             // ask_user may run as a task (2025-11-25)
    // Claude Code may use ask_user as its permission prompt too, whose results have another form:
    // it would hold them against the schema, and refuse them.
    bool has_output_schemas = true;
};
// The entries of the list of tools.
void write_tools(json::Writer& out, const ToolListing& listing);

struct AskCall {
    AskSpec spec;
    bool is_blocking = true;           // false: the call returns at once, and the ask outlives it
    std::vector<Fault> warnings = {};  // what was given and is not known, and so left out
};
// ask_user: the questions in every form that agents send, `timeout_seconds`, `context`, `blocking`.
[[nodiscard]] Result<AskCall> read_ask_user(const json::Value& arguments);
[[nodiscard]] Result<AskId> read_wait_answer(const json::Value& arguments);
[[nodiscard]] Result<NoticeGiven> read_notify_user(const json::Value& arguments);

// What the model is told of an ask: how it ended, or that it waits.
std::string ask_message(const Ask& ask);
// What the caller did wrong, for the model to read; every fault on a line.
std::string error_text(const Error& error);

// The members of a tool's result: `content`, and `structuredContent` with the status of the ask.
// What was left out of the call is told beside it.
void write_ask_result(json::Writer& out, const Ask& ask, const std::vector<Fault>& warnings = {});
void write_text_result(json::Writer& out, std::string_view text);
void write_error_result(json::Writer& out, const Error& error);

}  // namespace parley::mcp
