// SPDX-License-Identifier: Apache-2.0
// What the tests of core and of all above it make of asks. Values only.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/questions.h"
#include "parley/values.h"

namespace parley {

// The ask as it is once settled.
inline AskPtr with_settlement(const Ask& ask, Settlement settlement) {
    auto settled = std::make_shared<Ask>(ask);
    settled->settlement = std::make_shared<const Settlement>(std::move(settlement));
    return settled;
}

// Questions as check_spec leaves those of a spec that has nothing else.
[[nodiscard]] inline Result<std::vector<Question>> check_questions(std::vector<Question> questions,
                                                                   const Profile& profile) {
    AskSpec spec;
    spec.questions = std::move(questions);
    TRY(checked, check_spec(std::move(spec), profile));
    return std::move(checked.questions);
}

}  // namespace parley
