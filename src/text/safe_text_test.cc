// SPDX-License-Identifier: Apache-2.0
#include "text/safe_text.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <vector>

#include "base/properties_test.h"
#include "text/json.h"
#include "text/limits.h"
#include "text/utf8.h"

namespace parley {
namespace {

std::string encoded(char32_t c) {
    std::string text;
    utf8::append(text, c);
    return text;
}

std::string repeated(std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

TEST(NormalizeNewlines, EveryKindOfLineEndBecomesOneNewline) {
    EXPECT_EQ(normalize_newlines("a\r\nb\rc\nd\r\r\n\n"), "a\nb\nc\nd\n\n\n");
    EXPECT_EQ(normalize_newlines("\r"), "\n");
    EXPECT_EQ(normalize_newlines(""), "");
}

TEST(FindUnsafe, OrdinaryTextOfAllScriptsIsSafe) {
    for (const std::string_view text : {"PostgreSQL (Recommended)",
                                        "Grüße, naïve façade — “quoted” …",
                                        "日本語のテキスト、句読点。",
                                        "한국어 텍스트",
                                        "한국어",
                                        "שָׁלוֹם עולם",
                                        "مرحبا بالعالم ١٢٣",
                                        "नमस्ते हिन्दी",
                                        "ภาษาไทย น้ำ ก็",
                                        "Tiếng Việt",
                                        "Ελληνικά",
                                        "Русский",
                                        "བོད་སྐད་",
                                        "မြန်မာ",
                                        "ქართული",
                                        "a\u00A0b\u202Fc\u3000d",
                                        "✓ ▶ ★ │ ─ ⠋",
                                        "🫨🩷🛜",
                                        "∀x ∈ ℝ: x² ≥ 0",
                                        "\uFFFD",
                                        "\u0600١٢",
                                        "\U0001FAE9",
                                        "¯\\_(ツ)_/¯",
                                        "ｶﾞ"}) {
        const auto found = find_unsafe(text);
        EXPECT_FALSE(found) << text << ": " << found->name;
        EXPECT_EQ(escape_unsafe(text), text);
    }
}

TEST(FindUnsafe, EmojiSequencesAreSafe) {
    for (const std::string_view text :
         {"👨‍👩‍👧‍👦", "🏳️‍🌈", "🏴‍☠️",
          "👩🏻‍❤️‍💋‍👨🏼", "👍🏽", "1️⃣#️⃣*️⃣", "❤️", "☎︎", "🇩🇪🇫🇷",
          "👁️‍🗨️", "🧑🏿‍🚀", "🐻‍❄️", "🏿",
          "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
          "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!",
          "🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"}) {
        const auto found = find_unsafe(text);
        EXPECT_FALSE(found) << text << ": " << found->name;
    }
}

// Joiners and selectors that scripts need: Persian, Indic conjuncts, old Malayalam chillus at the
// end of a word, Mongolian, variants of ideographs.
TEST(FindUnsafe, JoinersAndSelectorsAreSafeWhereWritingNeedsThem) {
    for (const std::string_view text :
         {"می\u200Cخواهم", "क्\u200Dष", "ශ්\u200Dරී", "অর\u200D্য", "ന്\u200D", "a\u200Db",
          "葛\U000E0100城", "﨑\uFE00", "ᠠ\u180B", "ᠨ\u180Eᠠ"}) {
        const auto found = find_unsafe(text);
        EXPECT_FALSE(found) << text << ": " << found->name;
    }
}

TEST(FindUnsafe, JoinersAndSelectorsAreUnsafeElsewhere) {
    for (const std::string_view text : {"\u200D",         "\u200Da",
                                        "a\u200D",        "a\u200D b",
                                        "a \u200Cb",      "a\u200D\u200Db",
                                        "a\u200C\u200Db", "a\u200D.",
                                        "1\u200D2",       "😀\u200D",
                                        "😀\u200Da",      "😀\u200C😀",
                                        "a\u200D😀",      "a\uFE0F",
                                        "\uFE0F",         "1\uFE0F",
                                        "1\uFE0F2",       "😀\uFE0F\uFE0F",
                                        "😀\uFE00",       "😀\U000E0100",
                                        "a\U000E0100",    "葛\U000E0100\U000E0101",
                                        "a\u180B",        "a\u180Eb",
                                        "ᠠ\u180E",        "ᠠ\u180B\u180B",
                                        "क्\u200D\u200D"}) {
        EXPECT_TRUE(find_unsafe(text)) << escape_unsafe(text);
    }
}

// Tag characters can spell out a whole hidden message after any emoji.
TEST(FindUnsafe, TagsAreSafeInTheThreeKnownFlagsOnly) {
    const std::string england = "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F";
    EXPECT_TRUE(find_unsafe(england));
    EXPECT_TRUE(find_unsafe("😀" + england));
    EXPECT_TRUE(find_unsafe("🏴" + england + england));
    EXPECT_TRUE(find_unsafe("🏴" + england.substr(0, 20)));
    EXPECT_TRUE(find_unsafe("🏴\U000E0075\U000E0073\U000E0063\U000E0061\U000E007F"));
    EXPECT_TRUE(find_unsafe("🏴" + england + "\U000E0041"));
    EXPECT_TRUE(find_unsafe("a\U000E0041"));
}

TEST(FindUnsafe, TheCharacterIsNamedWithItsPlace) {
    const auto found = find_unsafe("Yes\u202E");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 3u);
    EXPECT_EQ(found->value, 0x202Eu);
    EXPECT_EQ(found->name, "U+202E RIGHT-TO-LEFT OVERRIDE");
    EXPECT_EQ(find_unsafe("\x1b[31m")->name, "U+001B ESCAPE");
    EXPECT_EQ(find_unsafe("a\nb")->name, "U+000A LINE FEED");
    EXPECT_EQ(find_unsafe("a\tb")->offset, 1u);
    EXPECT_EQ(find_unsafe("\x01")->name, "U+0001");
    EXPECT_EQ(find_unsafe("\U000E0041")->name, "U+E0041 TAG");
    EXPECT_EQ(find_unsafe("\U0010EEEE")->name, "U+10EEEE PRIVATE USE");
    EXPECT_EQ(find_unsafe("ab\xff")->name, "byte 0xFF, which is not valid UTF-8");
    EXPECT_EQ(find_unsafe("\u0301a")->name, "U+0301, which has nothing before it to combine with");
}

// Every scalar value alone between two letters, judged by what Unicode says of it.
TEST(FindUnsafe, NoInvisibleCharacterPassesByItself) {
    const auto must_be_unsafe = [](char32_t c) {
        const auto* of = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
        if (c == 0x200C || c == 0x200D) return false;
        if (of->ignorable) return true;
        switch (of->category) {
            case UTF8PROC_CATEGORY_CC:
            case UTF8PROC_CATEGORY_ZL:
            case UTF8PROC_CATEGORY_ZP:
            case UTF8PROC_CATEGORY_CO: return true;
            default: break;
        }
        return (c & 0xFFFEU) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || c == 0x2065 ||
               (c >= 0xFFF0 && c <= 0xFFFC) || (c >= 0xE0000 && c <= 0xE0FFF) ||
               (c >= 0x13430 && c <= 0x1343F) || c == 0x16FE4 || c == 0x1D159;
    };
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c == 0xD800) c = 0xE000;
        ASSERT_EQ(find_unsafe("a" + encoded(c) + "b").has_value(), must_be_unsafe(c))
            << std::hex << std::uint32_t{c};
    }
}

TEST(FindUnsafe, AMarkMayNotReachOutOfItsText) {
    EXPECT_TRUE(find_unsafe("\u0336Yes"));
    EXPECT_TRUE(find_unsafe("\u20DD"));
    EXPECT_TRUE(find_unsafe("\u093F"));
    EXPECT_FALSE(find_unsafe(" \u0336Yes"));
    EXPECT_EQ(escape_unsafe("a\n\u0336b\t\u0301"), "a\n\\u{336}b\t\\u{301}");
}

TEST(FindUnsafe, AClusterMayNotGrowWithoutEnd) {
    const std::size_t max = limits::kClusterScalarsMax;
    EXPECT_FALSE(find_unsafe("a" + repeated("\u0301", max - 1)));
    EXPECT_EQ(find_unsafe("a" + repeated("\u0301", max))->offset, 1 + 2 * (max - 1));
    EXPECT_TRUE(find_unsafe("😀" + repeated("\u200D😀", max)));
    EXPECT_TRUE(find_unsafe(repeated("\u1100", max + 1)));
    EXPECT_TRUE(find_unsafe("😀" + repeated("🏻", max)));
    EXPECT_EQ(escape_unsafe("a" + repeated("\u0301", max)),
              "a" + repeated("\u0301", max - 1) + "\\u{301}");
}

TEST(EscapeUnsafe, WhatWouldActOnATerminalBecomesVisible) {
    EXPECT_EQ(escape_unsafe("a\x1b[2Jb"), "a\\x1b[2Jb");
    EXPECT_EQ(escape_unsafe("\u009B2J\x7f\r"), "\\u{9b}2J\\x7f\\x0d");
    EXPECT_EQ(escape_unsafe("line\n\tnext"), "line\n\tnext");
    EXPECT_EQ(escape_unsafe("\u202Eevil\u2066\u2028"), "\\u{202e}evil\\u{2066}\\u{2028}");
    EXPECT_EQ(escape_unsafe("\xff\xC3(\xE2\x82"), "\\xff\\xc3(\\xe2\\x82");
    EXPECT_EQ(escape_unsafe(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(escape_unsafe("Paypal\u200B.com"), "Paypal\\u{200b}.com");
    EXPECT_EQ(escape_unsafe("a\u200D\u200Db"), "a\\u{200d}\\u{200d}b");
}

bool is_safe_by_lines(std::string_view text) {
    std::size_t start = 0;
    for (;;) {
        const std::size_t end = text.find_first_of("\n\t", start);
        if (find_unsafe(text.substr(start, end == text.npos ? text.npos : end - start)))
            return false;
        if (end == text.npos) return true;
        start = end + 1;
    }
}

// Characters that act on their neighbours, so that random texts are dense in the hard cases.
std::string hostile_text() {
    static const std::vector<std::string> kParts = {
        "a",
        "1",
        " ",
        "\n",
        "\t",
        "}",
        "é",
        "\u0301",
        "\u20E3",
        "\u094D",
        "क",
        "\u200C",
        "\u200D",
        "\uFE0F",
        "\uFE00",
        "\u180B",
        "\u180E",
        "ᠠ",
        "😀",
        "🏻",
        "🏴",
        "葛",
        "ᄀ",
        "\u0600",
        "\u202E",
        "\x1b",
        "\xff",
        "\xE2",
        "\u034F",
        "🇩",
        "\u115F",
        "\uE000",
        "\U000E0100",
        "\U000E0067",
        "\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F"};
    std::string text;
    for (const std::size_t part : *rc::gen::container<std::vector<std::size_t>>(
             rc::gen::inRange<std::size_t>(0, kParts.size())))
        text += kParts[part];
    return text;
}

RC_GTEST_PROP(EscapeUnsafe, TheResultIsSafeAndStaysAsItIs, ()) {
    const std::string escaped = escape_unsafe(hostile_text());
    RC_ASSERT(utf8::is_valid(escaped));
    RC_ASSERT(is_safe_by_lines(escaped));
    RC_ASSERT(escape_unsafe(escaped) == escaped);
}

RC_GTEST_PROP(EscapeUnsafe, SafeTextIsUnchangedAndOtherTextIsNot, ()) {
    const std::string text = hostile_text();
    RC_ASSERT((escape_unsafe(text) == text) == is_safe_by_lines(text));
}

TEST(EscapeUnsafeJson, ATerminalIsLeftAloneAndAProgramReadsTheSame) {
    EXPECT_EQ(escape_unsafe_json("{\"a\":\"\u009b2J\u202e\U000E0041\x7f\"}\n"),
              "{\"a\":\"\\u009b2J\\u202e\\udb40\\udc41\\u007f\"}\n");
    const std::string_view plain = "[\"Zürich \U0001F469\u200D\U0001F4BB\",\n\t1]";
    EXPECT_EQ(escape_unsafe_json(plain), plain);
}

RC_GTEST_PROP(EscapeUnsafeJson, WhatIsReadIsWhatWasWritten, (std::vector<char32_t> scalars)) {
    std::string text;
    for (const char32_t c : scalars) {
        const char32_t scalar = c % 0x110000;
        if (scalar < 0xD800 || scalar > 0xDFFF) utf8::append(text, scalar);
    }
    const std::string shown = escape_unsafe_json(json::quoted(text));
    RC_ASSERT(!find_unsafe(shown).has_value());
    RC_ASSERT(json::parse(shown).value().as_string() == text);
}

TEST(IsBlank, SpacesOfEveryKindAreNothingToSee) {
    EXPECT_TRUE(is_blank(""));
    EXPECT_TRUE(is_blank(" \t\n\u00A0\u2003\u3000\u2800"));
    EXPECT_FALSE(is_blank(" ."));
    EXPECT_FALSE(is_blank("\x1b"));
}

}  // namespace
}  // namespace parley
