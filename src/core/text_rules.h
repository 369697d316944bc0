// SPDX-License-Identifier: Apache-2.0
// The rules that every text from outside must pass: size, valid UTF-8, not blank, and for what is
// shown on one line nothing that could hide or move anything. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/faults.h"
#include "text/safe_text.h"

namespace parley {

enum class TextShape : std::uint8_t {
    lines,  // anything; controls are shown escaped
    label,  // one line, every character visible
};

// Of one question, label, description…
std::size_t usual_text_bytes();

struct TextRule {
    std::string_view what;  // as in "the label is empty"
    TextShape shape = TextShape::lines;
    std::size_t bytes_max = usual_text_bytes();
    std::size_t chars_max = 0;  // grapheme clusters; 0 means any number
    bool may_be_blank = false;
};

// Adds at most one fault for `text`.
void check_text(std::string_view text, const TextRule& rule, const json::Path& at, Faults& faults);

// Names that callers give: session names, keys, call ids, `by`.
TextRule name_rule(std::string_view what);
// Of the folder that a session's agent works in.
TextRule directory_rule();

// `text` without the blanks (text/safe_text.h) at its ends.
std::string_view trim_blanks(std::string_view text);

// CRLF and CR become LF, without a copy where there are none.
void normalize_newlines_of(std::string& text);
// The same, and a blank text becomes no text.
void tidy_optional(std::optional<std::string>& text);

// Text inside a message for people: quoted, escaped, cut.
std::string quoted_excerpt(std::string_view text);

// Safe text on one line: runs of white space, newlines among them, become one space; longer text is
// cut with an ellipsis.
std::string one_line(std::string_view text, std::size_t clusters);

// A to Z as small letters; everything else as it is.
std::string lower_ascii(std::string_view text);

// "1 question", "3 questions".
std::string count_of(std::size_t count, std::string_view noun);

}  // namespace parley
