// SPDX-License-Identifier: Apache-2.0
// What an agent tells of one tool call: its name, what it would do, and what it says about that in
// text and diffs. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "parley/values.h"
#include "text/json.h"

namespace parley::acp {

// The tool's own name; "" where only a title is told.
std::string call_name(const json::Value& call);

// The name, or what stands for it: the tool that calls of this kind are, or the title.
std::string shown_name(const json::Value& call);

bool has_input(const json::Value& call);
// The names of its input's members, also where the input is told as text; none if they are not
// all known.
std::vector<std::string> input_members(const json::Value& call);

// Nobody who is asked about it could say what it would do.
bool tells_nothing(const json::Value& call);

// The input as JSON text. Agents that tell none are taken by their title.
std::string call_input(const json::Value& call);

// Not yet checked.
PermissionRequest permission_of(const json::Value& call);

// The texts among its content, with what cannot be shown by its kind, and the call's title where
// the input does not say it; markdown.
std::string call_words(const json::Value& call);

// The diffs among its content, unified; "" without any.
std::string call_diff(const json::Value& call);

// What came out of it, as JSON text.
std::string call_output(const json::Value& call);

}  // namespace parley::acp
