// SPDX-License-Identifier: Apache-2.0
#include "text/char_class.h"

#include <utf8proc.h>

namespace parley {
namespace {

constexpr int kViramaClass = 9;  // of Canonical_Combining_Class

const utf8proc_property_t& properties(char32_t c) {
    return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
}

bool is_category(char32_t c, utf8proc_category_t first, utf8proc_category_t last) {
    const auto category = properties(c).category;
    return category >= first && category <= last;
}

bool is_noncharacter(char32_t c) {
    return is_between(c, 0xFDD0, 0xFDEF) || (c & 0xFFFEU) == 0xFFFE;
}

// Default_Ignorable_Code_Point, with the unassigned ones that utf8proc leaves out.
bool is_default_ignorable(char32_t c) {
    return properties(c).ignorable || c == 0x2065 || is_between(c, 0xFFF0, 0xFFF8) ||
           is_between(c, 0xE0000, 0xE0FFF);
}

// Characters that have a visible category and yet no ink.
bool is_inkless(char32_t c) {
    return c == 0xFFFC || c == 0x16FE4 || c == 0x1D159;
}

}  // namespace

bool is_never_shown(char32_t c) {
    if (c < 0x7F) return c < 0x20;
    if (is_selector_or_joiner(c)) return false;
    if (is_default_ignorable(c) || is_noncharacter(c) || is_inkless(c)) return true;
    const utf8proc_property_t& of = properties(c);
    switch (of.category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
        // What a private use character looks like is known to the sender's font alone, and some
        // terminals draw images through them.
        case UTF8PROC_CATEGORY_CO: return true;
        // The Arabic and Syriac signs that enclose the digits after them are visible.
        case UTF8PROC_CATEGORY_CF: return of.boundclass != UTF8PROC_BOUNDCLASS_PREPEND;
        default: return false;
    }
}

bool is_selector_or_joiner(char32_t c) {
    return c == kZeroWidthNonJoiner || c == kZeroWidthJoiner || is_between(c, 0x180B, 0x180F) ||
           is_between(c, 0xFE00, 0xFE0F) || is_between(c, 0xE0020, 0xE007F) ||
           is_between(c, 0xE0100, 0xE01EF);
}

bool is_letter(char32_t c) {
    return is_category(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_mark(char32_t c) {
    return is_category(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool is_spacing_mark(char32_t c) {
    return properties(c).category == UTF8PROC_CATEGORY_MC;
}

bool is_punctuation(char32_t c) {
    return is_category(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_opening(char32_t c) {
    const auto category = properties(c).category;
    return category == UTF8PROC_CATEGORY_PS || category == UTF8PROC_CATEGORY_PI;
}

bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || c == '\n' || c == '\t';
    return properties(c).category == UTF8PROC_CATEGORY_ZS;
}

bool is_virama(char32_t c) {
    return properties(c).combining_class == kViramaClass;
}

bool is_pictograph(char32_t c) {
    return properties(c).boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

bool is_skin_tone(char32_t c) {
    return is_between(c, 0x1F3FB, 0x1F3FF);
}

bool is_ideograph(char32_t c) {
    return is_between(c, 0x3400, 0x4DBF) || is_between(c, 0x4E00, 0x9FFF) ||
           is_between(c, 0xF900, 0xFAFF) || is_between(c, 0x20000, 0x3FFFD);
}

bool is_kana(char32_t c) {
    return is_between(c, 0x3041, 0x30FF) || is_between(c, 0x31F0, 0x31FF) ||
           is_between(c, 0xFF66, 0xFF9F);
}

bool is_mongolian_letter(char32_t c) {
    return is_between(c, 0x1820, 0x18AA);
}

int scalar_width(char32_t c) {
    // A tab is drawn as one space where nobody expands it.
    if (c == '\t') return 1;
    const utf8proc_property_t& of = properties(c);
    if (of.boundclass == UTF8PROC_BOUNDCLASS_PREPEND) return 1;
    // Emoji that are newer than the tables are wide like all others in their blocks.
    const bool is_emoji_block = is_between(c, 0x1F680, 0x1F6FF) || is_between(c, 0x1FA70, 0x1FAFF);
    if (of.category == UTF8PROC_CATEGORY_CN && is_emoji_block) return 2;
    // Terminals move on by a cell for it, whatever the font makes of it.
    if (is_spacing_mark(c)) return 1;
    return utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
}

}  // namespace parley
