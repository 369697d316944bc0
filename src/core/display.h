// SPDX-License-Identifier: Apache-2.0
// How questions and answers are named to people: the recommended badge, the cut header, the summary
// line of a settled ask; how it was settled is in settlement_phrase.h. Pure functions; text comes
// out safe to print (text/safe_text.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profile.h"
#include "parley/values.h"

namespace parley {

struct ShownLabel {
    std::string text;  // without the "(Recommended)" suffix
    bool is_recommended = false;
};

// "(Recommended)" counts only at the end of the first label.
ShownLabel shown_label(const Question& question, std::size_t option_index);

std::string shown_header(const Question& question, const Profile& profile);

// The agent's own option named "Other" stays and opens the text field; no second one is added. A
// question without options has that row alone.
bool is_other_label(std::string_view label);
bool adds_other_row(const Question& question);

// What is wanted of the answer: "choose 2 to 3", "may be left empty". Empty where the asker says
// nothing.
std::string wish_words(const Question& question);

// What an ask is about, on one line: what it permits, or its first question with the header before
// it, unless that was made from the question.
std::string ask_title(const AskSpec& spec);

// One line a question: "Database: PostgreSQL", "Features: Dark mode, Offline", "Name:
// (unanswered)". Of a permission what was decided comes first: "Deny: make install". None unless
// the ask was answered.
std::vector<std::string> summary_lines(const Ask& ask);

}  // namespace parley
