// SPDX-License-Identifier: Apache-2.0
// The rules of a choice: of options, one or several, of a text of one's own, or of both. `min` and
// `max` count what is chosen, the text as one. Reading and checking the question:
// choice_question.cc; the answer: choice_answer.cc. Pure functions.
#pragma once

#include "core/question_kinds.h"

namespace parley::choice_kind {

void read(const ObjectReader& object, const Profile& profile, Question& question, Faults& faults);
void check(Question& question, const Profile& profile, const json::Path& at, Faults& faults);
void check_answer(const Question& question, Answer& answer, const json::Path& at, Faults& faults);
std::string unmet_wish(const Question& question, const Answer& answer);
std::string ways_to_answer(const Question& question);
std::string wish_words(const Question& question);

inline constexpr KindRules kRules = {.kind = QuestionKind::choice,
                                     .read = read,
                                     .check = check,
                                     .check_answer = check_answer,
                                     .unmet_wish = unmet_wish,
                                     .ways_to_answer = ways_to_answer,
                                     .wish_words = wish_words};

}  // namespace parley::choice_kind
