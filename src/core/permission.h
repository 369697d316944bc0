// SPDX-License-Identifier: Apache-2.0
// A permission ask: may this tool run? It is an ask like any other, usually with the three options
// below; the reason for a denial is the answer's note. What is permitted stands in its `permission`
// as data: fronts show it from there, and its summary in rows, titles and notifications. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include "core/faults.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::permission {

inline constexpr std::string_view kAllowOnce = "Allow once";
inline constexpr std::string_view kAllowForSession = "Allow for this session";
inline constexpr std::string_view kDeny = "Deny";

// One question with exactly these options: what doors with words of their own for them can settle.
bool has_usual_options(const Ask& ask);

// Whether choosing this label lets something happen: the labels above that do, and in an ask with a
// permission every label that is not plainly a denial ("Deny", "No, and…", "Reject").
bool allows(const AskSpec& spec, std::string_view label);

// A tool's input as a request has it. What is nested deeper than a document may hold becomes one
// string: it is read, not used.
std::string input_text(const json::Value& input);

// Checks what an asker gave and completes it: the input as compact JSON, the summary, the diff and
// the plan where the input has them. Checking twice changes nothing.
void check(PermissionRequest& request, const json::Path& at, Faults& faults);

// "May Claude Code run `make install`?" For fronts that show nothing else.
std::string question_text(std::string_view agent, const PermissionRequest& request);

// The context as markdown, with what is permitted behind it: the plan, the diff, every field of the
// input, whole. For doors whose clients know questions and contexts only; empty if there is
// nothing.
std::string context_text(const AskSpec& spec);

// The same tool with the same input, shown alike: otherwise a key names two things.
bool is_same(const PermissionRequest& a, const PermissionRequest& b);

}  // namespace parley::permission
