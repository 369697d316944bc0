// SPDX-License-Identifier: Apache-2.0
#include "text/width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "text/safe_text.h"
#include "text/utf8.h"

namespace parley {
namespace {

using testing::ElementsAre;

struct Sample {
    std::string_view text;
    int cells;
};

// Strings on which a count by code points goes wrong in one way or another.
TEST(TextWidth, IsWhatTerminalsDraw) {
    const Sample samples[] = {
        {"hello", 5},
        {"日本語", 6},
        {"ｆｕｌｌ", 8},
        {"한국어", 6},
        {"e\u0301a\u0300", 2},
        {"❤️", 2},
        {"❤", 1},
        {"👨‍👩‍👧", 2},
        {"🇩🇪", 2},
        {"👍🏽", 2},
        {"1️⃣", 2},
        {"\u1112\u1161\u11AB", 2},
        {"नमस्ते", 4},
        {"देवनागरी", 7},
        {"தமிழ்", 4},
        {"ខ្មែរ", 4},
        {"ক\u09c7\u09be", 3},
        {"ภาษาไทย", 7},
        {"🫨", 2},
        {"ｶﾞ", 2},
    };
    for (const Sample& sample : samples)
        EXPECT_EQ(text_width(sample.text), sample.cells) << sample.text;
}

TEST(TextWidth, EdgesOfTheTables) {
    EXPECT_EQ(text_width(""), 0);
    EXPECT_EQ(text_width("a\nb"), 2);
    EXPECT_EQ(text_width("\t"), 1);
    EXPECT_EQ(text_width("…—│▶"), 4);
    EXPECT_EQ(text_width("\U0001FAE9"), 2);  // newer than the tables
    EXPECT_EQ(text_width("น้ำ"), 2);          // the last vowel takes a cell of its own
    EXPECT_EQ(text_width("🇩🇪🇫🇷"), 4);
    EXPECT_EQ(text_width("\xff"), 1);
    EXPECT_EQ(cluster_width(""), 0);
}

TEST(CutToWidth, KeepsWhatFitsAndMarksTheCut) {
    EXPECT_EQ(cut_to_width("hello", 5), "hello");
    EXPECT_EQ(cut_to_width("hello", 4), "hel…");
    EXPECT_EQ(cut_to_width("日本語", 5), "日本…");
    EXPECT_EQ(cut_to_width("日本語", 4), "日…");
    EXPECT_EQ(cut_to_width("日本語", 2), "…");
    EXPECT_EQ(cut_to_width("hello", 1), "…");
    EXPECT_EQ(cut_to_width("hello", 0), "");
    EXPECT_EQ(cut_to_width("hello", -1), "");
    EXPECT_EQ(cut_to_width("hello", 2, "..."), "he");
    EXPECT_EQ(cut_to_width("hello", 4, "..."), "h...");
    EXPECT_EQ(cut_to_width("", 0), "");
    EXPECT_EQ(cut_to_width("e\u0301e\u0301e\u0301", 2), "e\u0301…");
}

TEST(CutToClusters, CountsCharactersNotCells) {
    EXPECT_EQ(cut_to_clusters("日本語", 3), "日本語");
    EXPECT_EQ(cut_to_clusters("日本語", 2), "日…");
    EXPECT_EQ(cut_to_clusters("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 2),
              "👨‍👩‍👧…");
    EXPECT_EQ(cut_to_clusters("Authentication", 12), "Authenticat…");
    EXPECT_EQ(cut_to_clusters("abc", 0), "");
    EXPECT_EQ(cut_to_clusters("abc", static_cast<std::size_t>(-1)), "abc");
}

TEST(Wrap, BreaksAtSpaces) {
    EXPECT_THAT(wrap("the quick brown fox", 10), ElementsAre("the quick", "brown fox"));
    EXPECT_THAT(wrap("the quick brown fox", 3),
                ElementsAre("the", "qui", "ck", "bro", "wn", "fox"));
    EXPECT_THAT(wrap("aaa   bbb", 5), ElementsAre("aaa", "bbb"));
    EXPECT_THAT(wrap("a  b", 4), ElementsAre("a  b"));
    EXPECT_THAT(wrap("exactly ten", 11), ElementsAre("exactly ten"));
}

TEST(Wrap, KeepsTheLinesAndIndentsOfTheText) {
    EXPECT_THAT(wrap("", 5), ElementsAre(""));
    EXPECT_THAT(wrap("a\n\nb\n", 5), ElementsAre("a", "", "b", ""));
    EXPECT_THAT(wrap("  - item one", 9), ElementsAre("  - item", "one"));
    EXPECT_THAT(wrap("end  ", 5), ElementsAre("end  "));
    EXPECT_THAT(wrap("ended  ", 5), ElementsAre("ended"));
    EXPECT_THAT(wrap("          deep", 6), ElementsAre("deep"));
    EXPECT_THAT(wrap("\tx y", 3), ElementsAre("\tx", "y"));
}

TEST(Wrap, BreaksBesideIdeographsButKeepsTheirPunctuation) {
    EXPECT_THAT(wrap("日本語です。", 8), ElementsAre("日本語で", "す。"));
    EXPECT_THAT(wrap("日本語。", 6), ElementsAre("日本", "語。"));
    EXPECT_THAT(wrap("日本「語", 6), ElementsAre("日本", "「語"));
    EXPECT_THAT(wrap("use 日本語", 8), ElementsAre("use 日本", "語"));
    EXPECT_THAT(wrap("한국어 텍스트", 8), ElementsAre("한국어", "텍스트"));
}

TEST(Wrap, NeverBreaksInsideACluster) {
    EXPECT_THAT(wrap("👨‍👩‍👧👨‍👩‍👧", 3),
                ElementsAre("👨‍👩‍👧", "👨‍👩‍👧"));
    EXPECT_THAT(wrap("e\u0301e\u0301", 1), ElementsAre("e\u0301", "e\u0301"));
    EXPECT_THAT(wrap("日a", 1), ElementsAre("日", "a"));
    EXPECT_THAT(wrap("a \u0301b", 2), ElementsAre("a \u0301", "b"));
}

TEST(ExpandTabs, ReachTheNextStop) {
    EXPECT_EQ(expand_tabs("\ta\tbc\td", 4), "    a   bc  d");
    EXPECT_EQ(expand_tabs("日\tx\n\ty", 4), "日  x\n    y");
    EXPECT_EQ(expand_tabs("abcd\te", 4), "abcd    e");
}

std::string random_text() {
    static const std::vector<std::string> kParts = {
        "a",  "bc",     "word", " ",  " ",  "  ",     "\n",
        "\t", "日",     "、",   "「", "か", "한",     "👨‍👩‍👧",
        "❤️",  "\u0301", "🇩",    "🇪",  "ｶﾞ", "\u0600", ".",
        "1️⃣",  "क्",      "ष",    "🏻"};
    std::string text;
    for (const std::size_t part : *rc::gen::container<std::vector<std::size_t>>(
             rc::gen::inRange<std::size_t>(0, kParts.size())))
        text += kParts[part];
    return escape_unsafe(text);
}

std::string without_spaces(std::string_view text) {
    std::string out;
    for (const char byte : text)
        if (byte != ' ' && byte != '\t' && byte != '\n') out += byte;
    return out;
}

RC_GTEST_PROP(Wrap, FitsTheWidthAndLosesNothingButSpaces, ()) {
    const std::string text = random_text();
    const int cells = *rc::gen::inRange(1, 20);
    const auto lines = wrap(text, cells);
    std::string joined;
    for (const std::string& line : lines) {
        RC_ASSERT(text_width(line) <= cells || utf8::count_clusters(line) == 1u);
        RC_ASSERT(line.find('\n') == std::string::npos);
        joined += line;
    }
    RC_ASSERT(without_spaces(joined) == without_spaces(text));
}

RC_GTEST_PROP(Wrap, ALineThatFitsIsNotTouched, ()) {
    const std::string text = random_text();
    std::string joined;
    for (const std::string& line : wrap(text, 10'000)) joined += line + "\n";
    RC_ASSERT(joined == text + "\n");
}

RC_GTEST_PROP(CutToWidth, IsAPrefixThatFits, ()) {
    const std::string text = random_text();
    const int cells = *rc::gen::inRange(0, 30);
    const std::string result = cut_to_width(text, cells);
    RC_ASSERT(text_width(result) <= cells);
    if (text_width(text) <= cells) {
        RC_ASSERT(result == text);
    } else if (cells > 0) {
        RC_ASSERT(result.ends_with("…"));
        RC_ASSERT(text.starts_with(result.substr(0, result.size() - 3)));
    }
}

}  // namespace
}  // namespace parley
