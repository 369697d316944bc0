// SPDX-License-Identifier: Apache-2.0
#include "prompt/choice_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text_rules.h"
#include "prompt/choice_rows.h"
#include "text/utf8.h"

namespace parley {

namespace {

using Rows = std::vector<ChoiceRow>;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// "3", "3)" and "3." are numbers; nullopt for anything else.
std::optional<std::size_t> as_number(std::string_view word) {
    if (word.size() > 1 && (word.back() == ')' || word.back() == '.')) word.remove_suffix(1);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (const auto piece = trim_blanks(text.substr(0, end)); !piece.empty())
            pieces.push_back(piece);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return pieces;
}

// Reads one line; gathers what it chose.
class Reading {
public:
    Reading(const Question& question, std::string_view line)
        : question_(question), rows_(choice_rows(question)), line_(trim_blanks(line)) {}

    ChoiceLine read() {
        if (!utf8::is_valid(line_)) {
            result_.fault =
                "That is not valid UTF-8 text. Choose by number, or type it again in a UTF-8 "
                "terminal.";
            return result_;
        }
        if (!choose_all_numbers() && !choose_label(line_)) {
            if (question_.multi_select) {
                choose_pieces();
            } else {
                take_text(line_);
            }
        }
        check_count();
        if (!result_.fault.empty()) {
            result_.answer = {};
            result_.opens_text = false;
            result_.doubt.clear();
        }
        return result_;
    }

private:
    void choose(std::size_t index) {
        const ChoiceRow& row = rows_[index];
        if (row.opens_text) {
            result_.opens_text = true;
        } else if (std::ranges::find(result_.answer.selected, row.label) ==
                   result_.answer.selected.end()) {
            result_.answer.selected.push_back(row.label);
        }
    }

    void choose_number(std::size_t number, std::string_view word) {
        if (number < 1 || number > rows_.size()) {
            result_.fault = fmt::format("There is no choice {}. Type {}.", word, numbers_to_type());
            return;
        }
        // Options that are numbers themselves: "1" is a choice, but also another one's label.
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (i + 1 == number || rows_[i].shown != word) continue;
            result_.doubt = fmt::format("Choice {} is \"{}\". Take it? (For \"{}\", type {}.)",
                                        number, rows_[number - 1].shown, word, i + 1);
        }
        choose(number - 1);
    }

    // A line of nothing but numbers. False if it is something else, or a number that is out of
    // range but a label.
    bool choose_all_numbers() {
        const auto words = split(line_, ", \t;");
        std::vector<std::size_t> numbers;
        for (const std::string_view word : words) {
            const auto number = as_number(word);
            if (!number || (*number > rows_.size() && find_label(word))) return false;
            numbers.push_back(*number);
        }
        for (std::size_t i = 0; i < numbers.size() && result_.fault.empty(); ++i)
            choose_number(numbers[i], words[i]);
        return !numbers.empty();
    }

    std::optional<std::size_t> find_label(std::string_view text) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const ChoiceRow& row = rows_[i];
            if (row.label == text || row.shown == text) return i;
            if (equals_ignoring_case(row.label, text) || equals_ignoring_case(row.shown, text))
                found = found.value_or(i);
        }
        return found;
    }

    bool choose_label(std::string_view text) {
        const auto index = find_label(text);
        if (!index) return false;
        const ChoiceRow& row = rows_[*index];
        const auto is_like_it = [&](const ChoiceRow& other) {
            return equals_ignoring_case(other.shown, text) && other.shown != row.shown;
        };
        if (row.shown != text && std::ranges::any_of(rows_, is_like_it)) {
            result_.fault = fmt::format("{} could be more than one choice. Type {}.",
                                        quoted_excerpt(text), numbers_to_type());
        } else {
            choose(*index);
        }
        return true;
    }

    // Labels and numbers between commas. A label that itself contains a comma is tried whole, the
    // longest first; what is no choice is a text of one's own.
    void choose_pieces() {
        const auto pieces = split(line_, ",");
        std::string own_text;
        for (std::size_t i = 0; i < pieces.size() && result_.fault.empty();) {
            std::size_t taken = 0;
            for (std::size_t last = pieces.size(); last > i && taken == 0; --last) {
                const std::string_view run(
                    pieces[i].data(),
                    static_cast<std::size_t>(pieces[last - 1].end() - pieces[i].begin()));
                if (choose_label(run)) taken = last - i;
            }
            if (taken == 0) {
                taken = 1;
                if (const auto number = as_number(pieces[i])) {
                    choose_number(*number, pieces[i]);
                } else {
                    if (!own_text.empty()) own_text += ", ";
                    own_text += pieces[i];
                }
            }
            i += taken;
        }
        if (!own_text.empty() && result_.fault.empty()) take_text(own_text);
    }

    void take_text(std::string_view text) {
        if (!question_.custom) {
            result_.fault = fmt::format("{} is not one of the choices. Type {}, or a label.",
                                        quoted_excerpt(text), numbers_to_type());
            return;
        }
        result_.answer.other = text;
        result_.opens_text = false;
        result_.doubt = result_.answer.selected.empty()
                            ? fmt::format("Answer in your own words: {}?", quoted_excerpt(text))
                            : fmt::format("Take {} and, in your own words, {}?", shown_selection(),
                                          quoted_excerpt(text));
    }

    std::string shown_selection() const {
        std::string shown;
        for (const ChoiceRow& row : rows_) {
            if (std::ranges::find(result_.answer.selected, row.label) ==
                result_.answer.selected.end())
                continue;
            if (!shown.empty()) shown += ", ";
            shown += row.shown;
        }
        return shown;
    }

    void check_count() {
        if (question_.multi_select || !result_.fault.empty()) return;
        const std::size_t chosen = result_.answer.selected.size() + (result_.opens_text ? 1 : 0);
        if (chosen > 1)
            result_.fault = fmt::format("This question takes one choice. Type {}.",
                                        rows_.size() == 1 ? "1" : "one number");
    }

    std::string numbers_to_type() const {
        if (rows_.size() == 1) return "1";
        return fmt::format("a number from 1 to {}", rows_.size());
    }

    const Question& question_;
    const Rows rows_;
    const std::string_view line_;
    ChoiceLine result_;
};

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

ChoiceLine read_choice_line(const Question& question, std::string_view line) {
    return Reading(question, line).read();
}

}  // namespace parley
