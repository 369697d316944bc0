// SPDX-License-Identifier: Apache-2.0
#include "prompt/choice_rows.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/display.h"

namespace parley {

namespace {

constexpr std::string_view kOtherDescription = "Provide custom input";

}  // namespace

std::string row_range(std::size_t rows) {
    return rows == 1 ? "1" : fmt::format("1-{}", rows);
}

std::vector<ChoiceRow> choice_rows(const Question& question) {
    std::vector<ChoiceRow> rows;
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        const Option& option = question.options[i];
        ShownLabel shown = shown_label(question, i);
        const bool opens_text = question.custom && is_other_label(option.label);
        const bool is_bare = opens_text && option.description.empty();
        rows.push_back(
            {.label = option.label,
             .shown = std::move(shown.text),
             .description = is_bare ? std::string(kOtherDescription) : option.description,
             .preview = option.preview.value_or(""),
             .is_recommended = shown.is_recommended,
             .opens_text = opens_text});
    }
    if (!rows.empty() && adds_other_row(question)) {
        rows.push_back({.label = "",
                        .shown = "Other",
                        .description = std::string(kOtherDescription),
                        .opens_text = true});
    }
    return rows;
}

}  // namespace parley
