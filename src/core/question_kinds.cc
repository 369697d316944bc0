// SPDX-License-Identifier: Apache-2.0
#include "core/question_kinds.h"

#include <array>

#include "core/choice_kind.h"

namespace parley {

namespace {

constexpr std::array kRules = {choice_kind::kRules};
static_assert(has_every_kind(kRules), "a kind of question has no row here");

}  // namespace

const KindRules& rules_of(const Question& question) {
    return row_of(kRules, question);
}

}  // namespace parley
