// SPDX-License-Identifier: Apache-2.0
#include "core/text_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

// Without an early way out, so that the compiler can look at many bytes at once.
bool is_visible_ascii(std::string_view text) {
    unsigned odd = 0;
    for (const char c : text)
        odd |= static_cast<unsigned>(c < 0x20) | static_cast<unsigned>(c == 0x7f);
    return odd == 0;
}

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}  // namespace

std::size_t usual_text_bytes() {
    return limits::kTextBytes;
}

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
    return {.what = what,
            .shape = TextShape::label,
            .bytes_max = limits::kNameBytes,
            .chars_max = limits::kNameChars};
}

TextRule directory_rule() {
    return {.what = "directory", .shape = TextShape::label, .bytes_max = limits::kDirectoryBytes};
}

std::string_view trim_blanks(std::string_view text) {
    const auto is_mark = [](char c) { return c > ' ' && c <= '~'; };
    if (!text.empty() && is_mark(text.front()) && is_mark(text.back())) return text;  // mostly
    while (!text.empty()) {
        const std::size_t bytes = utf8::next(text).bytes;
        if (!is_blank(text.substr(0, bytes))) break;
        text.remove_prefix(bytes);
    }
    while (!text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && is_continuation(text[last])) --last;
        if (!is_blank(text.substr(last))) break;
        text.remove_suffix(text.size() - last);
    }
    return text;
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
    return fmt::format("\"{}\"", cut_to_clusters(escape_unsafe(text), limits::kExcerptClusters));
}

std::string one_line(std::string_view text, std::size_t clusters) {
    std::string folded;
    bool in_space = false;
    for (const char c : trim_blanks(text)) {
        const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_space) folded += c;
        if (is_space && !in_space) folded += ' ';
        in_space = is_space;
    }
    return cut_to_clusters(escape_unsafe(folded), clusters);
}

std::string lower_ascii(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string count_of(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace parley
