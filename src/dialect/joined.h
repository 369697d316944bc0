// SPDX-License-Identifier: Apache-2.0
// Answers as one string, the way chat pages and Claude Code exchange them: labels and free text
// joined by ", ". A single choice is one text, never split. Of several, labels are taken at ", "
// boundaries, the longest first but so that the whole is labels where that is possible; the rest,
// whole, is the free text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/faults.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley {

enum class JoinStyle : std::uint8_t {
    plain,   // labels as they are
    claude,  // a label that contains ", " or a quote is a JSON string inside the join
};

std::string join_answer(const Question& question, const Answer& answer, JoinStyle style);

// A label that the writer put into quotes is known again in either style; the style decides what
// text counts first. Nothing, or only blanks, is no answer. Free text where none is allowed is a
// fault.
Answer read_joined(const Question& question, std::string_view joined, JoinStyle style,
                   const json::Path& at, Faults& faults);

// A joined string, or a list of texts, which are then labels or free text each.
Answer read_joined_value(const Question& question, const json::Value& value, JoinStyle style,
                         const json::Path& at, Faults& faults);

}  // namespace parley
