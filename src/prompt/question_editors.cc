// SPDX-License-Identifier: Apache-2.0
#include "prompt/question_editors.h"

#include <array>

#include "core/question_kinds.h"

namespace parley {

namespace {

constexpr std::array kEditors = {QuestionEditor{
    .kind = QuestionKind::choice, .rows = choice_rows, .typing_cue = "Type your answer"}};
static_assert(has_every_kind(kEditors), "a kind of question has no editor here");

}  // namespace

const QuestionEditor& editor_of(const Question& question) {
    return row_of(kEditors, question);
}

}  // namespace parley
