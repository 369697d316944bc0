// SPDX-License-Identifier: Apache-2.0
#include "core/text_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/safe_text.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr std::size_t kExcerptClusters = 60;

bool is_visible_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Unicode's White_Space, and the braille blank, which no font draws.
bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x2800 || c == 0x3000;
}

}  // namespace

void check_text(std::string_view text, const TextRule& rule, const json::Path& at, Faults& faults) {
    if (text.size() > rule.bytes_max) {
        faults.add(at, fmt::format("{} has {} bytes, but at most {} are allowed; shorten it",
                                   rule.what, text.size(), rule.bytes_max));
        return;
    }
    const bool is_plain = is_visible_ascii(text);
    if (!is_plain) {
        if (const auto offset = utf8::find_invalid(text)) {
            faults.add(at, fmt::format("{} is not valid UTF-8 at byte {}; send it as UTF-8",
                                       rule.what, *offset));
            return;
        }
    }
    if (!rule.may_be_blank && is_blank(text)) {
        faults.add(at, fmt::format("{} is empty; give it some text", rule.what));
        return;
    }
    if (rule.shape == TextShape::label && !is_plain) {
        if (const auto unsafe = find_unsafe(text)) {
            faults.add(at,
                       fmt::format("{} contains {} at byte {}, which cannot be shown; remove it",
                                   rule.what, unsafe->name, unsafe->offset));
            return;
        }
    }
    if (rule.chars_max == 0 || text.size() <= rule.chars_max) return;
    if (const std::size_t chars = utf8::count_clusters(text); chars > rule.chars_max) {
        faults.add(at, fmt::format("{} has {} characters, but at most {} are allowed; shorten it",
                                   rule.what, chars, rule.chars_max));
    }
}

TextRule name_rule(std::string_view what) {
    return {.what = what, .shape = TextShape::label, .chars_max = limits::kNameChars};
}

bool is_blank(std::string_view text) {
    while (!text.empty()) {
        const utf8::Scalar scalar = utf8::next(text);
        if (!is_space(scalar.value)) return false;
        text.remove_prefix(scalar.bytes);
    }
    return true;
}

std::string_view trim_blanks(std::string_view text) {
    std::size_t begin = text.size();
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const utf8::Scalar scalar = utf8::next(text.substr(at));
        if (!is_space(scalar.value)) {
            begin = std::min(begin, at);
            end = at + scalar.bytes;
        }
        at += scalar.bytes;
    }
    return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

void normalize_newlines_of(std::string& text) {
    if (text.find('\r') != std::string::npos) text = normalize_newlines(text);
}

void tidy_optional(std::optional<std::string>& text) {
    if (!text) return;
    if (is_blank(*text)) {
        text.reset();
        return;
    }
    normalize_newlines_of(*text);
}

std::string quoted_excerpt(std::string_view text) {
    return fmt::format("\"{}\"", cut_to_clusters(escape_unsafe(text), kExcerptClusters));
}

std::string count_of(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace parley
