// SPDX-License-Identifier: Apache-2.0
// Text is text: what an agent or a person wrote can move no cursor, forge no line and hide nothing.
// These are the rules for what may stand in a label and how everything else is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley {

// CRLF and CR become LF.
std::string normalize_newlines(std::string_view text);

struct UnsafeChar {
    std::size_t offset = 0;
    char32_t value = 0;
    // "U+202E RIGHT-TO-LEFT OVERRIDE"; a plain "U+XXXX" where we have no name.
    std::string name;
};
// The first character that may not stand in a label or header: C0/C1 controls (newline and tab
// too), bidi controls, and other invisible characters (zero-width space, word joiner, BOM, soft
// hyphen, tags, variation selectors outside a cluster, unassigned fillers…), private use and
// noncharacters. ZWJ and ZWNJ are allowed inside a grapheme cluster of more than one visible scalar
// or between two letters. A mark may not stand first, where it would combine with what we print
// before it, and no cluster may have more than limits::kClusterScalarsMax scalars.
std::optional<UnsafeChar> find_unsafe(std::string_view label);

// For display anywhere: newline and tab stay, everything that find_unsafe refuses (and every
// invalid byte) becomes visible ASCII like "\x1b" or "\u{202e}". Safe text comes back unchanged.
std::string escape_unsafe(std::string_view text);

// The same for a JSON document: what is unsafe becomes "\u202e" inside its strings, so that a
// terminal shows it safely and a program reads what it would have read.
std::string escape_unsafe_json(std::string_view document);

// Whether a reader would see nothing: only spaces of any kind, tabs and newlines, or no text at
// all.
bool is_blank_throughout(std::string_view text);
inline bool is_blank(std::string_view text) {
    const bool starts_visibly = !text.empty() && text.front() > ' ' && text.front() <= '~';
    return !starts_visibly && is_blank_throughout(text);
}

}  // namespace parley
