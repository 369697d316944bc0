// SPDX-License-Identifier: Apache-2.0
// Questions from outside: liberal in what is read, precise in what is refused. Reading accepts
// every form that agents send (see read_questions); validation names every fault by its JSON
// pointer in the document that was given. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/profile.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

// Reads `{questions:[…]}`, an array of questions, a flat `{question, options}`, or any of these as
// a JSON string, or a JSON string of a JSON string. Options may be strings or objects; multi-select
// may be spelled multiSelect, multiple or multi_select; header and description may be missing.
// Newlines are normalised. The result is valid under `profile`; otherwise the Error carries every
// fault. `at` is where `document` stands in what the caller was given.
[[nodiscard]] Result<std::vector<Question>> read_questions(const json::Value& document,
                                                           const Profile& profile,
                                                           const json::Path& at = {});

// The same rules over values that a C++ caller built: newlines normalised, missing headers made,
// then validated. Paths are "/questions/0/…" below `at`.
[[nodiscard]] Result<std::vector<Question>> check_questions(std::vector<Question> questions,
                                                            const Profile& profile,
                                                            const json::Path& at = {});

// A short header from the question's text, for askers that gave none.
std::string make_header(std::string_view question_text);

// Everything of a spec besides its questions: context, key, tool, agent, timeout, default answers.
[[nodiscard]] Result<AskSpec> check_spec(AskSpec spec, const Profile& profile);

}  // namespace parley
