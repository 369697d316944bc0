// SPDX-License-Identifier: Apache-2.0
// What kind of character a scalar value is, as far as safe display and width need to know. Wraps
// utf8proc (Unicode 15.0) and adds the few ranges that it has no property for. Pure functions,
// for use inside src/text only.
#pragma once

namespace parley {

inline constexpr char32_t kMongolianVowelSeparator = 0x180E;
inline constexpr char32_t kZeroWidthNonJoiner = 0x200C;
inline constexpr char32_t kZeroWidthJoiner = 0x200D;
inline constexpr char32_t kEmojiSelector = 0xFE0F;
inline constexpr char32_t kKeycap = 0x20E3;
inline constexpr char32_t kBlackFlag = 0x1F3F4;
inline constexpr char32_t kBrailleBlank = 0x2800;

constexpr bool is_between(char32_t c, char32_t first, char32_t last) {
    return c >= first && c <= last;
}

// A control, or a character that shows nothing or shows as nobody can foresee: never safe, whatever
// stands around it. The characters that are safe in some places only (joiners, variation selectors,
// emoji tags) are not among them.
bool is_never_shown(char32_t c);

// One that shows nothing of its own and is refused unless its neighbours call for it.
bool is_selector_or_joiner(char32_t c);

bool is_letter(char32_t c);
bool is_mark(char32_t c);
bool is_spacing_mark(char32_t c);  // a vowel of Indic scripts that stands beside its letter
bool is_punctuation(char32_t c);
bool is_opening(char32_t c);  // brackets and quotes that belong to what follows
bool is_space(char32_t c);    // any space, tab or newline

// The mark that removes a consonant's vowel in the scripts of India and South-East Asia.
bool is_virama(char32_t c);
bool is_pictograph(char32_t c);
bool is_skin_tone(char32_t c);
bool is_ideograph(char32_t c);
bool is_kana(char32_t c);
bool is_mongolian_letter(char32_t c);

// Terminal cells of the character alone: 0, 1 or 2.
int scalar_width(char32_t c);

}  // namespace parley
