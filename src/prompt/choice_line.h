// SPDX-License-Identifier: Apache-2.0
// What a typed line says about one question: numbers of choices, labels, or a text of one's own.
// Pure functions; whatever could be read in two ways is a doubt, to be asked about before it
// counts.
#pragma once

#include <string>
#include <string_view>

#include "parley/values.h"

namespace parley {

struct ChoiceLine {
    Answer answer = {};
    bool opens_text = false;  // the text field was chosen; its text is still to be typed
    std::string doubt = {};   // a question to ask before `answer` is taken
    std::string fault = {};   // why nothing can be taken, and what to type instead

    bool operator==(const ChoiceLine&) const = default;
};
// `line` is not blank.
ChoiceLine read_choice_line(const Question& question, std::string_view line);

bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace parley
