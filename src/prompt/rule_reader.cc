// SPDX-License-Identifier: Apache-2.0
#include "prompt/rule_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

namespace parley::rule {

std::string without_blanks(std::string_view text) {
    std::string all;
    std::ranges::copy_if(text, std::back_inserter(all),
                         [](char c) { return c != ' ' && c != '\n'; });
    return all;
}

namespace {

constexpr std::string_view kPointer = "❯";
constexpr std::string_view kAsk = "Ask number ";

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// Without the sides of the box.
std::string_view inside(std::string_view line) {
    line = trimmed(line);
    take_prefix(line, "│");
    if (line.ends_with("│")) line.remove_suffix(std::string_view("│").size());
    return trimmed(line);
}

// "❯ 2 ● No", "  ☐ Sync".
std::optional<SeenRow> as_row(std::string_view line) {
    SeenRow row;
    row.is_here = take_prefix(line, kPointer);
    line = trimmed(line);
    while (!line.empty() && line.front() >= '0' && line.front() <= '9') line.remove_prefix(1);
    line = trimmed(line);
    const bool is_on = take_prefix(line, "●") || take_prefix(line, "☑");
    if (!is_on && !take_prefix(line, "○") && !take_prefix(line, "☐")) return std::nullopt;
    row.is_marked = is_on;
    row.label = trimmed(line);
    return row;
}

std::optional<int> number_after(std::string_view text, std::size_t from) {
    const std::size_t at = text.find(kAsk, from);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view digits = text.substr(at + kAsk.size());
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

void read_review_line(Seen& seen, std::string_view line) {
    const bool is_here = take_prefix(line, kPointer);
    line = trimmed(line);
    if (line.find("Send these answers") != std::string_view::npos) {
        seen.is_sending_row_here = is_here;
    } else if (take_prefix(line, "✓") || take_prefix(line, "!")) {
        seen.reviewed.push_back(without_blanks(line));
    } else if (!seen.reviewed.empty()) {
        seen.reviewed.back() += without_blanks(line);
    }
}

// What was typed, of a line of it: runs of empty lines are drawn as their number.
std::string typed_in(std::string_view line) {
    return line.ends_with("blank lines)") ? "" : without_blanks(line);
}

// Lines in order: what is no beginning of something goes on with what began last.
class Reader {
public:
    explicit Reader(Seen& seen) : seen_(seen) {}

    void read(std::string_view line) {
        if (auto row = as_row(line)) {
            seen_.rows.push_back(std::move(*row));
            typed_ = &seen_.rows.back().below;
        } else if (take_prefix(line, "Note:")) {
            begin(seen_.note, line);
        } else if (take_prefix(line, kPointer)) {
            begin(seen_.field, line);
        } else if (line.starts_with("└")) {
            typed_ = nullptr;
        } else if (typed_ != nullptr) {
            *typed_ += typed_in(line);
        }
    }

private:
    void begin(std::optional<std::string>& text, std::string_view line) {
        text = typed_in(line);
        typed_ = &*text;
    }

    Seen& seen_;
    std::string* typed_ = nullptr;
};

}  // namespace

std::optional<int> Seen::asked() const {
    return number_after(whole, 0);
}

std::optional<int> Seen::in_hand() const {
    const std::size_t at = whole.find(kPointer);
    return at == std::string::npos ? std::nullopt : number_after(whole, at);
}

Seen read_picture(const std::string& text) {
    Seen seen{.whole = text};
    const auto has = [&](std::string_view words) { return text.find(words) != std::string::npos; };
    seen.is_typing = has("Enter answer") || has("Enter keep ");
    seen.is_dismissing = has("Dismiss without answering?");
    seen.is_ended = has("Esc goes back to the list.");
    const bool is_review = has("Your answers");
    std::istringstream lines(text);
    Reader reader(seen);
    for (std::string line; std::getline(lines, line);) {
        if (is_review) {
            if (line.starts_with("│")) read_review_line(seen, inside(line));
        } else {
            reader.read(inside(line));
        }
    }
    return seen;
}

std::optional<Answer> answer_on(const Seen& seen) {
    Answer answer;
    if (seen.note && !seen.note->empty()) answer.note = *seen.note;
    if (seen.field && seen.rows.empty()) {
        answer.other = *seen.field;
        return answer;
    }
    const auto marked = std::ranges::count_if(seen.rows, &SeenRow::is_marked);
    if (marked > 1) return std::nullopt;
    const auto counts = [&](const SeenRow& row) {
        return marked == 1 ? row.is_marked : row.is_here;
    };
    const auto row = std::ranges::find_if(seen.rows, counts);
    if (row == seen.rows.end()) return std::nullopt;
    if (row->label == "Other") {
        answer.other = row->below;
    } else {
        answer.selected = {row->label};
    }
    return answer;
}

}  // namespace parley::rule
