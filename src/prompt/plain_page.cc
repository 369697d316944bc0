// SPDX-License-Identifier: Apache-2.0
#include "prompt/plain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text_rules.h"
#include "prompt/limits.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr int kTabCells = 4;

struct Likeness {
    char32_t character;
    std::string_view ascii;
};
// What people and models write without thinking; the rest is shown by its number.
constexpr std::array kLikenesses = {
    Likeness{U'\u00a0', " "},  Likeness{U'\u2010', "-"},   Likeness{U'\u2011', "-"},
    Likeness{U'\u2013', "-"},  Likeness{U'\u2014', "--"},  Likeness{U'\u2018', "'"},
    Likeness{U'\u2019', "'"},  Likeness{U'\u201c', "\""},  Likeness{U'\u201d', "\""},
    Likeness{U'\u2022', "*"},  Likeness{U'\u2026', "..."}, Likeness{U'\u2190', "<-"},
    Likeness{U'\u2192', "->"}, Likeness{U'\u21b5', "\\n"}, Likeness{U'\u2713', "[ok]"},
};

void append_blank_lines(std::string& out, std::size_t count) {
    if (count > limits::kBlankLinesShown) {
        out += fmt::format("({} blank lines)\n", count);
    } else {
        out.append(count, '\n');
    }
}

std::string tell_blank_runs(std::string_view text) {
    std::string told;
    std::size_t blank_lines = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (is_blank(line)) {
            ++blank_lines;
            continue;
        }
        append_blank_lines(told, blank_lines);
        blank_lines = 0;
        told += line;
        if (!text.empty()) told += '\n';
    }
    // Blank lines at the end hide nothing: what follows is ours.
    while (told.ends_with('\n')) told.pop_back();
    return told;
}

std::string_view escape_code(PlainPage::Look look) {
    switch (look) {
        case PlainPage::Look::bold: return "\x1b[1m";
        case PlainPage::Look::dim: return "\x1b[2m";
        case PlainPage::Look::normal: break;
    }
    return {};
}

}  // namespace

std::string to_ascii(std::string_view text) {
    std::string ascii;
    ascii.reserve(text.size());
    while (!text.empty()) {
        const utf8::Scalar scalar = utf8::next(text);
        text.remove_prefix(scalar.bytes);
        const auto* const like = std::ranges::find(kLikenesses, scalar.value, &Likeness::character);
        if (scalar.value < 0x80) {
            ascii += static_cast<char>(scalar.value);
        } else if (like != kLikenesses.end()) {
            ascii += like->ascii;
        } else {
            ascii += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(scalar.value));
        }
    }
    return ascii;
}

std::string shown_text(std::string_view text, Charset charset) {
    std::string shown = tell_blank_runs(expand_tabs(escape_unsafe(text), kTabCells));
    return charset == Charset::ascii ? to_ascii(shown) : shown;
}

void PlainPage::rows(std::string_view first_lead, std::string_view lead, std::string_view shown,
                     Look look) {
    const int cells = std::max(style_.columns, limits::kColumnsMin) - text_width(first_lead);
    const std::string_view code =
        style_.emphasis == Emphasis::ansi ? escape_code(look) : std::string_view();
    bool is_first = true;
    for (const std::string& row : wrap(shown, cells)) {
        std::string margin(is_first ? first_lead : lead);
        is_first = false;
        if (row.empty()) margin.erase(margin.find_last_not_of(' ') + 1);
        text_ += margin;
        text_ += code;
        text_ += row;
        if (!code.empty()) text_ += "\x1b[0m";
        text_ += '\n';
    }
}

void PlainPage::line(std::string_view text, Look look) {
    rows("", "", shown_text(text, style_.charset), look);
}

void PlainPage::hanging(std::string_view lead, std::string_view text, Look look) {
    const std::string indent(static_cast<std::size_t>(text_width(lead)), ' ');
    rows(lead, indent, shown_text(text, style_.charset), look);
}

void PlainPage::set_off(std::string_view text, Look look, std::string_view indent) {
    const std::string shown = shown_text(text, style_.charset);
    if (!style_.has_bars) {
        // Counted instead, so that a line of ours is known from one of theirs by the ear too.
        const auto lines = static_cast<std::size_t>(std::ranges::count(shown, '\n')) + 1;
        rows("", "", fmt::format("{}({} of the asker's text)", indent, count_of(lines, "line")),
             Look::normal);
        const std::string margin = fmt::format("{}  ", indent);
        return rows(margin, margin, shown, look);
    }
    const std::string bar =
        fmt::format("{}{} ", indent, style_.charset == Charset::ascii ? "|" : "│");
    rows(bar, bar, shown, look);
}

void PlainPage::passage(std::string_view text, Look look) {
    const std::string shown = shown_text(text, style_.charset);
    const bool fits = shown.find('\n') == std::string::npos &&
                      text_width(shown) <= std::max(style_.columns, limits::kColumnsMin);
    if (fits) {
        rows("", "", shown, look);
    } else {
        set_off(text, look);
    }
}

}  // namespace parley
