// SPDX-License-Identifier: Apache-2.0
// Answers checked against their questions: count, labels, free text allowed or not, one choice or
// several. A refused answer names the field that is wrong; the ask stays pending. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/faults.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

// What a door allows beyond a complete answer.
enum class Completeness : std::uint8_t {
    whole,         // every question must be answered
    partial,       // some may be left out, but not all
    may_be_empty,  // nothing at all is a submission too: every question is "unanswered"
};

struct AnswerRules {
    Completeness completeness = Completeness::whole;
};

// The answers as they will be recorded: one per question, newlines of free text normalised, labels
// in the order of the options and each once, an empty free text or note dropped. Two forms of the
// same answer are recorded alike, so that every door shows it alike:
//  - free text that equals a label is that label;
//  - the agent's own option "Other" only opens the text field: with a free text beside it, the text
//    alone is the answer; chosen without one, it is a choice like any other.
// A note is a remark, not an answer. What a question says of `required`, `min` and `max` holds at
// every door, whatever its rules. Faults are "/answers/1/selected/0" below `at`.
[[nodiscard]] Result<Answers> check_answers(const std::vector<Question>& questions, Answers answers,
                                            const AnswerRules& rules, const json::Path& at = {});
// The same for readers that collect faults; `list` is the path of the answers themselves.
void check_answers(const std::vector<Question>& questions, Answers& answers,
                   const AnswerRules& rules, const json::Path& list, Faults& faults);

// A draft may be incomplete in every way; only sizes and UTF-8 are checked.
[[nodiscard]] Result<Answers> check_draft(const std::vector<Question>& questions, Answers answers);

// The texts of one answer (labels and free text mixed, as OpenCode and tRPC send them) sorted into
// labels and free text; blank ones are left out. Faults, each at its own text below `at`: two texts
// on a single choice, a second text that is no label, free text where none is allowed.
[[nodiscard]] Result<Answer> sort_texts(const Question& question, std::vector<std::string> texts,
                                        const json::Path& at = {});
Answer sort_texts(const Question& question, std::vector<std::string> texts, const json::Path& at,
                  Faults& faults);

// How many choices an answer makes, a text of one's own counted as one.
std::size_t choices_of(const Answer& answer);

// What the number of choices lacks, or is over: "at least 2 choices, and 1 is chosen; …". Empty
// where it is right, and where nothing is answered: whether that may be is another question.
std::string unmet_wish(const Question& question, const Answer& answer);

// What of one answer a person could have marked at all: labels, free text, one choice or several.
// Brought into its recorded form.
void check_marks(const Question& question, Answer& answer, const json::Path& at, Faults& faults);

// Something was chosen or written; a note alone does not count.
bool is_answered(const Answer& answer);

// The answer to one question; an empty one where the list is too short.
const Answer& answer_at(const Answers& answers, std::size_t index);

bool has_label(const Question& question, std::string_view text);

// 'choose "A" or "B", or give "other"': the end of a message about a wrong answer.
std::string ways_to_answer(const Question& question);

}  // namespace parley
