// SPDX-License-Identifier: Apache-2.0
// Inside core: the rules over one question and over the size of an ask, shared by the readers of
// values and of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/faults.h"
#include "core/profile.h"
#include "core/text_rules.h"
#include "parley/values.h"

namespace parley {

// Normalises and checks one question that stands at `at`.
void check_question(Question& question, const Profile& profile, const json::Path& at,
                    Faults& faults);

// The index of an earlier element with the same text, or `index` itself. White space at the ends
// does not tell two texts apart for a person.
template <class Elements, class TextOf>
std::size_t first_alike(const Elements& elements, std::size_t index, TextOf text_of) {
    if (index == 0) return index;
    const std::string_view text = trim_blanks(text_of(elements[index]));
    for (std::size_t i = 0; i < index; ++i)
        if (trim_blanks(text_of(elements[i])) == text) return i;
    return index;
}

// "1 to 4", or "4".
std::string range_of(std::size_t min, std::size_t max);

std::size_t text_bytes(const std::vector<Question>& questions);
void check_ask_bytes(std::size_t bytes, const json::Path& at, Faults& faults);

}  // namespace parley
