// SPDX-License-Identifier: Apache-2.0
// What a typed line says about one question: numbers of choices, labels, or a text of one's own.
// Pure functions; whatever could be read in two ways is a doubt, to be asked about before it
// counts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"

namespace parley {

// A row that can be chosen by its number: an option, or the row that opens the text field.
struct ChoiceRow {
    std::string label;  // as data; empty for the row that we add
    std::string shown;  // without the recommended suffix
    std::string description = {};
    std::string preview = {};
    bool is_recommended = false;
    bool opens_text = false;
};
// In the order of their numbers, from 1. A question without options has none: it is answered by
// typing.
std::vector<ChoiceRow> choice_rows(const Question& question);

struct ChoiceLine {
    Answer answer = {};
    bool opens_text = false;  // the text field was chosen; its text is still to be typed
    std::string doubt = {};   // a question to ask before `answer` is taken
    std::string fault = {};   // why nothing can be taken, and what to type instead

    bool operator==(const ChoiceLine&) const = default;
};
// `line` is not blank.
ChoiceLine read_choice_line(const Question& question, std::string_view line);

// "1-4", or "1" where there is one row.
std::string row_range(std::size_t rows);

bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace parley
