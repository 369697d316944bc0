// SPDX-License-Identifier: Apache-2.0
// OpenCode's question API: requests, string[][] answers, the three question events, and the texts
// that its tool gives to the model. Refusals of a reply have OpenCode's own wording, because its
// clients show it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::opencode {

// [{question, header, options:[{label, description}], multiple?, custom?}], and
// what the asker wants of the answer (write_wishes), which its clients pass over.
void write_questions(json::Writer& out, const std::vector<Question>& questions);
// QuestionRequest. `tool` is the call that the ask is shown as; every ask has one at this door.
void write_request(json::Writer& out, const Ask& ask, const ToolCall& tool);

// string[][]: for each question its labels, then its free text.
void write_answers(json::Writer& out, const std::vector<Question>& questions,
                   const Answers& answers);

// The properties of question.asked are the request; of the other two:
std::string replied_properties(const Ask& ask);
std::string rejected_properties(const Ask& ask);

// A message as long as OpenCode would let it be.
std::string cut_message(std::string message);

// A reply's body, checked in its form alone; nullopt is no body.
using ReplyTexts = std::vector<std::vector<std::string>>;
[[nodiscard]] Result<ReplyTexts> read_reply(const std::optional<json::Value>& body);
// Its texts sorted into labels and free text. Fewer lists than questions and empty ones are
// "unanswered", more are passed over; two texts on a single choice are refused.
[[nodiscard]] Result<Answers> sort_reply(const std::vector<Question>& questions, ReplyTexts texts);

// What the tool returns to the model. Quotes and backslashes inside are escaped, so that the pairs
// can be read back; where there are none, it is OpenCode's text exactly.
std::string output_text(const std::vector<Question>& questions, const Answers& answers);
// "Asked 2 questions".
std::string title(std::size_t question_count);
// The error text of the tool part of an ask that ended without an answer.
std::string error_text(const Ask& ask);

}  // namespace parley::opencode
