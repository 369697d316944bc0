// SPDX-License-Identifier: Apache-2.0
// The rows under a question: its options, and the one that opens the text field, which is "Other"
// unless the agent has one of its own. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "parley/values.h"

namespace parley {

// Chosen by its number, or by moving to it.
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

// "1-4", or "1" where there is one row.
std::string row_range(std::size_t rows);

}  // namespace parley
