// SPDX-License-Identifier: Apache-2.0
#include "text/char_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "text/char_class.h"

namespace parley {
namespace {

struct NamedRange {
    char32_t first;
    char32_t last;
    std::string_view name;
};

// In ascending order; the names are Unicode's where the range is one character.
constexpr auto kNames = std::to_array<NamedRange>({
    {0x0000, 0x0000, "NULL"},
    {0x0007, 0x0007, "BELL"},
    {0x0008, 0x0008, "BACKSPACE"},
    {0x0009, 0x0009, "TAB"},
    {0x000A, 0x000A, "LINE FEED"},
    {0x000B, 0x000B, "LINE TABULATION"},
    {0x000C, 0x000C, "FORM FEED"},
    {0x000D, 0x000D, "CARRIAGE RETURN"},
    {0x001B, 0x001B, "ESCAPE"},
    {0x007F, 0x007F, "DELETE"},
    {0x0085, 0x0085, "NEXT LINE"},
    {0x009B, 0x009B, "CONTROL SEQUENCE INTRODUCER"},
    {0x009D, 0x009D, "OPERATING SYSTEM COMMAND"},
    {0x00AD, 0x00AD, "SOFT HYPHEN"},
    {0x034F, 0x034F, "COMBINING GRAPHEME JOINER"},
    {0x061C, 0x061C, "ARABIC LETTER MARK"},
    {0x115F, 0x115F, "HANGUL CHOSEONG FILLER"},
    {0x1160, 0x1160, "HANGUL JUNGSEONG FILLER"},
    {0x17B4, 0x17B5, "KHMER INHERENT VOWEL"},
    {0x180B, 0x180D, "MONGOLIAN FREE VARIATION SELECTOR"},
    {0x180E, 0x180E, "MONGOLIAN VOWEL SEPARATOR"},
    {0x180F, 0x180F, "MONGOLIAN FREE VARIATION SELECTOR"},
    {0x200B, 0x200B, "ZERO WIDTH SPACE"},
    {0x200C, 0x200C, "ZERO WIDTH NON-JOINER"},
    {0x200D, 0x200D, "ZERO WIDTH JOINER"},
    {0x200E, 0x200E, "LEFT-TO-RIGHT MARK"},
    {0x200F, 0x200F, "RIGHT-TO-LEFT MARK"},
    {0x2028, 0x2028, "LINE SEPARATOR"},
    {0x2029, 0x2029, "PARAGRAPH SEPARATOR"},
    {0x202A, 0x202A, "LEFT-TO-RIGHT EMBEDDING"},
    {0x202B, 0x202B, "RIGHT-TO-LEFT EMBEDDING"},
    {0x202C, 0x202C, "POP DIRECTIONAL FORMATTING"},
    {0x202D, 0x202D, "LEFT-TO-RIGHT OVERRIDE"},
    {0x202E, 0x202E, "RIGHT-TO-LEFT OVERRIDE"},
    {0x2060, 0x2060, "WORD JOINER"},
    {0x2061, 0x2064, "INVISIBLE OPERATOR"},
    {0x2066, 0x2066, "LEFT-TO-RIGHT ISOLATE"},
    {0x2067, 0x2067, "RIGHT-TO-LEFT ISOLATE"},
    {0x2068, 0x2068, "FIRST STRONG ISOLATE"},
    {0x2069, 0x2069, "POP DIRECTIONAL ISOLATE"},
    {0x206A, 0x206F, "DEPRECATED FORMAT CHARACTER"},
    {0x3164, 0x3164, "HANGUL FILLER"},
    {0xE000, 0xF8FF, "PRIVATE USE"},
    {0xFDD0, 0xFDEF, "NONCHARACTER"},
    {0xFE00, 0xFE0F, "VARIATION SELECTOR"},
    {0xFEFF, 0xFEFF, "ZERO WIDTH NO-BREAK SPACE"},
    {0xFFA0, 0xFFA0, "HALFWIDTH HANGUL FILLER"},
    {0xFFF9, 0xFFFB, "INTERLINEAR ANNOTATION"},
    {0xFFFC, 0xFFFC, "OBJECT REPLACEMENT CHARACTER"},
    {0xE0001, 0xE007F, "TAG"},
    {0xE0100, 0xE01EF, "VARIATION SELECTOR"},
    {0xF0000, 0x10FFFD, "PRIVATE USE"},
});
static_assert(std::ranges::is_sorted(kNames, {}, &NamedRange::first));

}  // namespace

std::string char_name(char32_t c) {
    std::string text = fmt::format("U+{:04X}", static_cast<std::uint32_t>(c));
    const auto* const after = std::ranges::upper_bound(kNames, c, {}, &NamedRange::first);
    if (after == kNames.begin()) return text;
    const NamedRange& range = *(after - 1);
    if (c <= range.last) {
        text += ' ';
        text += range.name;
    }
    return text;
}

}  // namespace parley
