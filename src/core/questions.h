// SPDX-License-Identifier: Apache-2.0
// Questions from outside: liberal in what is read, precise in what is refused. Reading accepts
// every form that agents send (see read_questions); validation names every fault by its JSON
// pointer in the document that was given. Pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/faults.h"
#include "core/profile.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

// Reads `{questions:[…]}`, an array of questions, a flat `{question, options}`, or any of these as
// a JSON string, or a JSON string of a JSON string. Options may be strings or objects; multi-select
// may be spelled multiSelect, multiple or multi_select; header and description may be missing.
// Newlines are normalised. The result is valid under `profile`; otherwise the Error carries every
// fault. `at` is where `document` stands in what the caller was given; a pointer goes on through a
// JSON string as if what is in it stood there directly. Members that are not known are left out;
// who wants to tell of them gives `warnings`.
[[nodiscard]] Result<std::vector<Question>> read_questions(const json::Value& document,
                                                           const Profile& profile,
                                                           const json::Path& at = {},
                                                           std::vector<Fault>* warnings = nullptr);

// A short header from the question's text, for askers that gave none.
std::string make_header(std::string_view question_text);

// A whole spec that a C++ caller built: the same rules over its questions, newlines normalised and
// missing headers made, then context, key, tool, permission, agent, timeout and default answers.
// Paths are those of the native request ("/questions/0/…", "/timeout_seconds",
// "/on_timeout/default/0/selected"). Checking twice changes nothing.
[[nodiscard]] Result<AskSpec> check_spec(AskSpec spec, const Profile& profile);

// Every member that a question may have. Where one stands flat among the members of a request, the
// request's reader tells what is not known.
inline constexpr std::initializer_list<std::string_view> kQuestionMembers = {
    "question", "header", "kind",     "options", "multi_select", "multiSelect",
    "multiple", "custom", "required", "default", "min",          "max"};

// The same for readers that collect the faults of a larger document.
std::vector<Question> read_questions(const json::Value& document, const Profile& profile,
                                     const json::Path& at, Faults& faults);
// `document`, or what is inside when it is JSON in a string, or in a string of a string; `decoded`
// then holds it. Null, with a fault, if the string holds something else.
const json::Value* unwrap_document(const json::Value& document, json::Value& decoded,
                                   const json::Path& at, Faults& faults);
// `list` is the path of the questions themselves.
void check_questions(std::vector<Question>& questions, const Profile& profile,
                     const json::Path& list, Faults& faults);
void check_spec(AskSpec& spec, const Profile& profile, Faults& faults);
// Everything of a spec besides its questions, and the size of the whole. Whether a default answer
// has its timeout is not known before the session is: that may bring one.
void check_spec_fields(AskSpec& spec, Faults& faults);

// Whether two asks with one key, or of one tool call, are one ask.
bool asks_the_same(const AskSpec& a, const AskSpec& b);

}  // namespace parley
