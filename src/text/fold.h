// SPDX-License-Identifier: Apache-2.0
// Looking for what a person typed in what they see: letters of either case are the same in every
// script that has cases, and words count in any order. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace parley {

// Equal for texts that differ in case only. Bytes that are no UTF-8 stay as they are.
std::string fold_case(std::string_view text);

// The words of a search, folded once and looked for in many texts.
class WordSearch {
public:
    explicit WordSearch(std::string_view wanted) : words_(fold_case(wanted)) {}

    // Whether every word stands somewhere in it. No words stand everywhere.
    bool finds_in(std::string_view text) const;

private:
    std::string words_;
};

}  // namespace parley
