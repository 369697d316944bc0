// SPDX-License-Identifier: Apache-2.0
// The one table of what is known of MCP clients beyond what they declare: how long they wait, what
// their forms can do, and which era of the protocol serves a person better. Each entry was measured
// with the real program and says why it is there; a client that is not in it is taken at its word.
// docs/doors/mcp.md shows the same table. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parley/values.h"
#include "text/json.h"

namespace parley::mcp {

struct ClientInfo;

struct Habits {
    std::string_view client;  // its clientInfo's name; "…*" is every name that begins so
    // How long it waits for a call: in all, and without a report of progress. Zero: no limit.
    Millis limit = {};
    Millis idle_limit = {};
    // In the era of 2026-07-28 it puts a call aside, or holds it while a form is open that nobody
    // can take back. On stdio it speaks the older era just as well, where both work.
    bool is_better_off_legacy = false;
    // It moves every task to the background, and tells its model that the answer is nobody's.
    bool puts_tasks_aside = false;
    // A person has a way to decline a form there, besides closing it.
    bool declines_by_hand = true;
    // A text field that may be left empty can be left empty.
    bool sends_empty_texts = true;
    // What it leaves out by its name, it is offered by another.
    std::string_view ask_tool = {};
};

// Of a client that is not known: nothing out of the ordinary.
const Habits& habits_of(const ClientInfo& client);

// How long a call may be held before it says that the question is still open; nullopt: as long as
// it takes.
std::optional<Millis> hold_of(const ClientInfo& client, bool wants_progress);

// Whether the params of a call say that nobody sits at this client.
bool is_headless(const json::Value& params);

// Of a call's parameters what is looked at while it waits: all of them may be large, and a person
// may take long.
json::Value kept_params(const json::Value& params);

// Which call of the client's model this is, if it says.
std::optional<ToolCall> tool_call_of(const json::Value& params);
// A few letters of what the client calls its conversation, so that it is known again when the
// client was started anew; empty if it does not say.
std::string conversation_tag(const json::Value& params);

}  // namespace parley::mcp
