// SPDX-License-Identifier: Apache-2.0
#include "prompt/plain_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/properties_test.h"
#include "text/width.h"

namespace parley {
namespace {

using Look = PlainPage::Look;

TEST(PlainPage, LinesAreWrappedAndIndentedUnderTheirLead) {
    PlainPage page({.columns = 20});
    page.line("one two three four five six");
    page.hanging("  1) ", "seven eight nine ten");
    EXPECT_EQ(page.take(),
              "one two three four\n"
              "five six\n"
              "  1) seven eight\n"
              "     nine ten\n");
}

// A question of several lines could write a list of choices of its own into the prompt.
TEST(PlainPage, TextOfSeveralLinesIsSetOff) {
    PlainPage page({.columns = 40});
    page.passage("One line.");
    page.passage("First:\n  1) Yes\n  2) No");
    EXPECT_EQ(page.take(),
              "One line.\n"
              "│ First:\n"
              "│   1) Yes\n"
              "│   2) No\n");
}

TEST(PlainPage, PaddingThatWrapsIsSetOffToo) {
    PlainPage page({.columns = 20});
    page.passage("Sure?" + std::string(30, ' ') + "1) Yes");
    EXPECT_EQ(page.take(), "│ Sure?\n│ 1) Yes\n");
}

TEST(PlainPage, BlankLinesCannotPushAnythingOutOfSight) {
    EXPECT_EQ(shown_text("a\n\n\nb", Charset::utf8), "a\n\n\nb");
    EXPECT_EQ(shown_text("a" + std::string(500, '\n') + "b", Charset::utf8),
              "a\n(499 blank lines)\nb");
    EXPECT_EQ(shown_text("a\n \n\t\n\u3000\nb", Charset::utf8), "a\n(3 blank lines)\nb");
    EXPECT_EQ(shown_text("a\n\n\n\n\n", Charset::utf8), "a");
}

TEST(PlainPage, NothingInTheTextActs) {
    EXPECT_EQ(shown_text("\x1b[2Jgone\x07", Charset::utf8), "\\x1b[2Jgone\\x07");
    EXPECT_EQ(shown_text("a\tb", Charset::utf8), "a   b");
}

TEST(PlainPage, AsciiHasALikenessOrANumberForEverythingElse) {
    EXPECT_EQ(shown_text("“Größe” – 5 → 6…", Charset::ascii), "\"Gr\\u{f6}\\u{df}e\" - 5 -> 6...");
    EXPECT_EQ(shown_text("make ↵ make test", Charset::ascii), "make \\n make test");
    PlainPage page({.columns = 40, .charset = Charset::ascii});
    page.set_off("Zeile\nZwei");
    EXPECT_EQ(page.take(), "| Zeile\n| Zwei\n");
}

TEST(PlainPage, EmphasisIsThereOnlyWhenAskedFor) {
    PlainPage plain({});
    plain.line("loud", Look::bold);
    EXPECT_EQ(plain.take(), "loud\n");
    PlainPage loud({.emphasis = Emphasis::ansi});
    loud.line("loud", Look::bold);
    loud.hanging("  ", "quiet", Look::dim);
    loud.line("normal");
    EXPECT_EQ(loud.take(), "\x1b[1mloud\x1b[0m\n  \x1b[2mquiet\x1b[0m\nnormal\n");
}

TEST(PlainPage, ANarrowTerminalIsTakenForTwentyColumns) {
    PlainPage page({.columns = 0});
    page.line("one two three four five");
    EXPECT_EQ(page.take(), "one two three four\nfive\n");
}

RC_GTEST_PROP(PlainPage, AsciiPagesAreAsciiAndNoLineIsTooWide, (const std::string& text)) {
    const int columns = *rc::gen::inRange(20, 60);
    PlainPage page({.columns = columns, .charset = Charset::ascii});
    page.passage(text);
    page.hanging("  10) ", text);
    const std::string taken = page.take();
    std::string_view rest = taken;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        RC_ASSERT(text_width(line) <= columns);
        RC_ASSERT(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7f; }));
    }
}

}  // namespace
}  // namespace parley
