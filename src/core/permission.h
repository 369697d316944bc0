// SPDX-License-Identifier: Apache-2.0
// A permission ask: may this tool run? It is an ask like any other, with these three options; the
// reason for a denial is the answer's note. Pure functions.
#pragma once

#include <string_view>

#include "parley/values.h"

namespace parley::permission {

inline constexpr std::string_view kAllowOnce = "Allow once";
inline constexpr std::string_view kAllowForSession = "Allow for this session";
inline constexpr std::string_view kDeny = "Deny";

// One question with exactly these options.
inline bool is_permission(const Ask& ask) {
    const auto& questions = ask.spec->questions;
    if (questions.size() != 1 || questions[0].options.size() != 3) return false;
    const auto& options = questions[0].options;
    return options[0].label == kAllowOnce && options[1].label == kAllowForSession &&
           options[2].label == kDeny;
}

}  // namespace parley::permission
