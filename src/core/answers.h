// SPDX-License-Identifier: Apache-2.0
// Answers checked against their questions: count, labels, free text allowed or not, one choice or
// several. A refused answer names the field that is wrong; the ask stays pending. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
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
// in the order of the options, an empty free text or note dropped. Faults are
// "/answers/1/selected/0" below `at`.
[[nodiscard]] Result<Answers> check_answers(const std::vector<Question>& questions, Answers answers,
                                            const AnswerRules& rules, const json::Path& at = {});

// A draft may be incomplete in every way; only sizes and UTF-8 are checked.
[[nodiscard]] Result<Answers> check_draft(const std::vector<Question>& questions, Answers answers);

// Two or more texts of one answer (labels and free text mixed, as OpenCode and joined strings send
// them) sorted into labels and free text. More than one text that is no label is a fault.
[[nodiscard]] Result<Answer> sort_texts(const Question& question, std::vector<std::string> texts,
                                        const json::Path& at = {});

bool is_answered(const Answer& answer);

}  // namespace parley
