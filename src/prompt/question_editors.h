// SPDX-License-Identifier: Apache-2.0
// How a question of each kind is answered in a terminal, by keys and in lines: the prompts' row of
// core/question_kinds.h. Pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "parley/values.h"
#include "prompt/choice_rows.h"

namespace parley {

struct QuestionEditor {
    QuestionKind kind;
    // What can be chosen; where there is nothing, the answer is typed.
    std::vector<ChoiceRow> (*rows)(const Question& question);
    std::string_view typing_cue;  // "Type your answer"
};

const QuestionEditor& editor_of(const Question& question);

}  // namespace parley
