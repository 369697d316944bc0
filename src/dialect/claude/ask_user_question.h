// SPDX-License-Identifier: Apache-2.0
// The AskUserQuestion family: the tool input that Claude Code and its relatives send, the answers
// object keyed by question text that they take back, and the list of selected options that the
// tool's original proposal returns. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/faults.h"
#include "core/profile.h"
#include "dialect/joined.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::claude {

// The questions of a tool input. Answers that a model sends along are not read: it cannot answer
// for the person.
[[nodiscard]] Result<std::vector<Question>> read_input(const json::Value& input,
                                                       const Profile& profile = kStrictProfile,
                                                       const json::Path& at = {},
                                                       std::vector<Fault>* warnings = nullptr);

// [{question, header, options:[{label, description, preview?}], multiSelect}]; `custom` is there
// only when free text is switched off.
void write_questions(json::Writer& out, const std::vector<Question>& questions);

// {"<question text>": "<joined>"}; an unanswered question has no entry.
void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers, JoinStyle style);
// Values may be joined strings or lists of texts. An entry that is no question's text is a fault.
Answers read_answers(const std::vector<Question>& questions, const json::Value& value,
                     JoinStyle style, const json::Path& at, Faults& faults);

// The input of a tool call with the person's answers in it, as can_use_tool and the hooks hand it
// back: every field as it came, answers and annotations replaced. Annotations are {"<question
// text>": {notes?, preview?}} of the questions that have a note, or whose chosen option has a
// preview. The keys are the question texts of `input` itself, byte for byte, because Claude Code
// passes over any other.
std::string updated_input(const json::Value& input, const std::vector<Question>& questions,
                          const Answers& answers);

// [{question, selectedOptions, customInput?, notes?}], in question order.
void write_answer_list(json::Writer& out, const std::vector<Question>& questions,
                       const Answers& answers);
// {"answers":[{question, selectedOptions, customInput?, notes?}]}.
std::string tool_output(const std::vector<Question>& questions, const Answers& answers);
[[nodiscard]] Result<Answers> read_tool_output(const std::vector<Question>& questions,
                                               const json::Value& value);

}  // namespace parley::claude
