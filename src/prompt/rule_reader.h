// SPDX-License-Identifier: Apache-2.0
// For the test of the rule: reads off a drawn picture what a person sees in it, by its signs and
// words alone. It knows nothing of the states that the picture was drawn from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parley/values.h"

namespace parley::rule {

struct SeenRow {
    std::string label;
    std::string below;  // what was typed under it
    bool is_here = false;
    bool is_marked = false;
};

struct Seen {
    std::vector<SeenRow> rows = {};
    std::vector<std::string> reviewed = {};  // "Header:Yes,No", where a review is shown
    bool is_sending_row_here = false;        // of the review
    bool is_typing = false;
    bool is_dismissing = false;
    bool is_ended = false;
    std::optional<std::string> field = {};  // of a question without choices, or of a reason
    std::optional<std::string> note = {};
    std::string whole = {};

    // The number in "Ask number 7:", which the questions of the test begin with; of the list the
    // row in hand.
    std::optional<int> asked() const;
    std::optional<int> in_hand() const;
};

// Typed text is read without blanks and ends of lines, which a picture shows but does not tell.
std::string without_blanks(std::string_view text);

Seen read_picture(const std::string& text);

// What Enter on this picture says, for one question that needs no review: nullopt where the picture
// leaves it open.
std::optional<Answer> answer_on(const Seen& seen);

}  // namespace parley::rule
