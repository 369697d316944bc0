// SPDX-License-Identifier: Apache-2.0
#include "prompt/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prompt/markdown.h"
#include "prompt/styled_text.h"
#include "prompt/styles.h"

namespace parley {
namespace {

using testing::HasSubstr;

TEST(Block, AParagraphKeepsTheStylesOfItsParts) {
    Block block;
    block.paragraph(Line{{"one two ", {}}, {"three four", kBold}, {" five", {}}}, 9, {{"> ", {}}});
    EXPECT_EQ(text_of(block), "> one two\n  three\n  four\n  five");
    EXPECT_EQ(block.lines[1].back(), (Span{"three", kBold}));
    EXPECT_EQ(block.lines[3].back(), (Span{"five", {}}));
}

TEST(Block, VerbatimLosesNothing) {
    Block block;
    block.verbatim("+---+\n|  a|\n\nlong  words here", 8);
    EXPECT_EQ(text_of(block), "+---+\n|  a|\n\nlong  \nwords \nhere");
    Block narrow;
    narrow.verbatim("界界", 1);
    EXPECT_EQ(text_of(narrow), "界\n界");
}

TEST(Block, ALineIsCutAcrossItsParts) {
    const Line line = {{"abc", kBold}, {"defg", {}}};
    EXPECT_EQ(cut_line(line, 7, "…"), line);
    EXPECT_EQ(cut_line(line, 5, "…"), (Line{{"abc", kBold}, {"d", {}}, {"…", {}}}));
}

TEST(InlineCode, StandsWithoutItsMarksInAStyleOfItsOwn) {
    const Line line = with_inline_code("Run `make x` now?", kBold);
    ASSERT_EQ(line.size(), 3u);
    EXPECT_EQ(line[1].text, "make x");
    EXPECT_NE(line[1].style.is_bold, line[0].style.is_bold) << "seen without colours too";
    const auto plain = [](std::string_view text) {
        std::string all;
        for (const Span& span : with_inline_code(text, {})) all += span.text;
        return all;
    };
    EXPECT_EQ(plain("a ` alone"), "a ` alone");
    EXPECT_EQ(plain("two `` empty"), "two `` empty");
    EXPECT_EQ(plain("over `two\nlines`"), "over `two\nlines`");
    EXPECT_EQ(plain(""), "");
}

TEST(Preview, WithoutAFenceItKeepsItsLines) {
    EXPECT_EQ(text_of(preview_block("+---+\n| a |\n+---+", 20, Charset::utf8)),
              "+---+\n| a |\n+---+");
    EXPECT_EQ(text_of(preview_block("a\n\n\n\n\nb", 20, Charset::utf8)), "a\n(4 blank lines)\nb");
    EXPECT_EQ(text_of(preview_block("so:\n```\nx  y\n```\n", 20, Charset::utf8)), "so:\n\n│ x  y");
}

TEST(Table, IsAlignedWithALineUnderItsHead) {
    const std::string_view table =
        "| step | risk |\n|---|---|\n| drop | high |\n| migrate | medium |\n";
    EXPECT_EQ(text_of(markdown_block(table, 40, Charset::utf8)),
              "step    │ risk\n────────┼───────\ndrop    │ high\nmigrate │ medium");
    EXPECT_EQ(text_of(markdown_block(table, 40, Charset::ascii)),
              "step    | risk\n--------+-------\ndrop    | high\nmigrate | medium");
}

TEST(Table, LongCellsGoOnBelowInTheirColumn) {
    const std::string text = text_of(
        markdown_block("| a | what |\n|---|---|\n| 1 | a text that is much too long for it |\n", 20,
                       Charset::utf8));
    EXPECT_EQ(text,
              "a │ what\n──┼─────────────────\n1 │ a text that is\n  │ much too long\n  │ for it");
}

TEST(Table, MoreColumnsThanRoomAreParagraphs) {
    std::string head = "|";
    std::string rule = "|";
    for (int i = 0; i < 12; ++i) {
        head += "column|";
        rule += "---|";
    }
    const Block block = markdown_block(head + "\n" + rule + "\n", 30, Charset::utf8);
    for (const Line& line : block.lines) EXPECT_LE(line_width(line), 30);
    EXPECT_THAT(text_of(block), HasSubstr("column │ column"));
}

TEST(Markdown, BlankLinesInCodeAreTold) {
    EXPECT_EQ(text_of(markdown_block("```\na\n\n\n\n\nb\n```\n", 30, Charset::utf8)),
              "│ a\n│ (4 blank lines)\n│ b");
}

}  // namespace
}  // namespace parley
