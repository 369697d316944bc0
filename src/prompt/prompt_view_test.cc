// SPDX-License-Identifier: Apache-2.0
// How a prompt looks, at several sizes and in both character sets.
#include "prompt/prompt_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prompt/markdown.h"
#include "term/test_grid.h"

namespace parley {
namespace {

using testing::HasSubstr;
using testing::Not;

const Question kDatabase = {
    .text = "Which database should we use?",
    .header = "Database",
    .options = {{"PostgreSQL (Recommended)", "Relational DB with rich features"},
                {"MongoDB", "Document-based NoSQL database"},
                {"SQLite", "Lightweight embedded database"}}};
const Question kFeatures = {.text = "Which features should we enable?",
                            .header = "Features",
                            .options = {{"Dark mode", "Enable dark theme support"},
                                        {"Notifications", "Push notification support"},
                                        {"Offline mode", "Work without internet connection"}},
                            .multi_select = true,
                            .custom = false};

PromptState prompt(std::vector<Question> questions, std::optional<std::string> context = {}) {
    return {std::make_shared<AskSpec>(
                AskSpec{.questions = std::move(questions), .context = std::move(context)}),
            {}};
}
void press(PromptState& state, Key key) {
    state.was_shown();
    (void)reduce(state, key, Mono(std::chrono::hours(1)));
}
std::string draw(const PromptState& state, const PromptLook& look) {
    return text_of(to_picture(draw_prompt(state, look).block, look.columns, look.rows).grid);
}

TEST(PromptView, WithoutNumbersItIsTheDocumentedBox) {
    EXPECT_EQ(draw(prompt({kDatabase}), {.has_numbers = false}),
              R"(┌─ Database ─────────────────────────────────┐
│ Which database should we use?              │
│                                            │
│ ○ PostgreSQL (Recommended)                 │
│   Relational DB with rich features         │
│                                            │
│ ○ MongoDB                                  │
│   Document-based NoSQL database            │
│                                            │
│ ○ SQLite                                   │
│   Lightweight embedded database            │
│                                            │
│ ○ Other                                    │
│   Provide custom input                     │
└────────────────────────────────────────────┘
↑/↓ move · Enter choose · Esc dismiss · ? help
)");
    PromptState features = prompt({kFeatures});
    features.current().picked = {true, false, true};
    EXPECT_EQ(draw(features, {.has_numbers = false}),
              R"(┌─ Features ─────────────────────────────────┐
│ Which features should we enable?           │
│ (Select multiple with space)               │
│                                            │
│ ☑ Dark mode                                │
│   Enable dark theme support                │
│                                            │
│ ☐ Notifications                            │
│   Push notification support                │
│                                            │
│ ☑ Offline mode                             │
│   Work without internet connection         │
└────────────────────────────────────────────┘
↑/↓ move · Space choose · Enter go on · Esc dismiss · ? help
)");
}

TEST(PromptView, SmallAndInAscii) {
    PromptState state = prompt({kDatabase, kFeatures});
    press(state, {.code = Key::Code::down});
    EXPECT_EQ(draw(state, {.columns = 40, .rows = 12, .charset = Charset::ascii}),
              R"([Database] Features  Review
+- Database ---------------------------+
| Which database should we use?        |
|   1 ( ) PostgreSQL (Recommended)     |
|         Relational DB with rich      |
|         features                     |
| > 2 ( ) MongoDB                      |
|         Document-based NoSQL         |
|         database                     |
|   3 ( ) SQLite                       |
+--------------------- v 4 lines more -+
Enter choose - Esc dismiss - ? help
)");
}

TEST(PromptView, WideCharactersKeepTheBorderStraight) {
    const Question question = {.text = "どのデータベースを使いますか？ 👩‍💻",
                               .header = "選択",
                               .options = {{"普通", "e\u0301 مرحبا"}, {"👍🏽 よい", ""}},
                               .custom = false};
    const Block block = draw_prompt(prompt({question}), {.columns = 60}).block;
    for (std::size_t row = 0; row + 1 < block.lines.size(); ++row)
        EXPECT_EQ(line_width(block.lines[row]), 46) << row;
}

TEST(PromptView, PreviewsStandBesideOrBelow) {
    Question question = kDatabase;
    question.options[0].preview = "CREATE TABLE users;";
    const std::string wide = draw(prompt({question}), {.columns = 200, .rows = 60});
    EXPECT_THAT(wide, HasSubstr("┐ ┌─ Preview"));
    EXPECT_THAT(wide, HasSubstr("CREATE TABLE users;"));
    const std::string narrow = draw(prompt({question}), {.columns = 60, .rows = 30});
    EXPECT_THAT(narrow, HasSubstr("\n┌─ Preview"));
}

TEST(PromptView, ContextIsNeverCutSilently) {
    std::string context;
    for (int i = 1; i <= 40; ++i) context += "- line " + std::to_string(i) + "\n";
    PromptState state = prompt({kDatabase}, context);
    const PromptDrawing drawing = draw_prompt(state, {});
    EXPECT_GT(drawing.range.context_max, 0);
    EXPECT_THAT(draw(state, {}), HasSubstr("↓ 29 more lines: PgDn"));
    // By pages, of which one line stays, and to either end.
    state.drawn(drawing.range);
    EXPECT_TRUE(state.scroll({.code = Key::Code::page_down}));
    EXPECT_EQ(state.context_scroll, drawing.range.context_page - 1);
    EXPECT_THAT(draw(state, {}), HasSubstr("PgDn · 10 above"));
    EXPECT_TRUE(state.scroll({.code = Key::Code::end}));
    EXPECT_THAT(draw(state, {}), HasSubstr("line 40"));
    EXPECT_THAT(draw(state, {}), HasSubstr("↑ 29 lines above: PgUp"));
    EXPECT_TRUE(state.scroll({.code = Key::Code::home}));
    EXPECT_EQ(state.context_scroll, 0);
}

TEST(PromptView, TheClockAndWhatItDoes) {
    EXPECT_THAT(draw(prompt({kDatabase}), {.time_left = std::chrono::seconds(299)}),
                HasSubstr("ends in 4:59"));
    PromptState timed(
        std::make_shared<AskSpec>(AskSpec{.questions = {kDatabase},
                                          .default_answers = Answers{{.selected = {"SQLite"}}}}),
        {});
    EXPECT_THAT(draw(timed, {.time_left = std::chrono::hours(2)}),
                HasSubstr("the timer answers SQLite in 2 h"));
}

TEST(PromptView, HostileTextIsShownAndCannotAct) {
    const Question question = {.text = "Sure?\x1b[2J" + std::string(50, '\n') + "Really?",
                               .header = "Sure",
                               .options = {{"Yes", "\u202egnp.exe"},
                                           {"No",
                                            "\x9b"
                                            "1A"}}};
    const std::string screen = draw(prompt({question}), {});
    EXPECT_THAT(screen, HasSubstr("Sure?\\x1b[2J"));
    EXPECT_THAT(screen, HasSubstr("(49 blank lines)"));
    EXPECT_THAT(screen, HasSubstr("\\u{202e}gnp.exe"));
    EXPECT_EQ(screen.find('\x1b'), std::string::npos);
}

TEST(PromptView, EachModeHasItsWords) {
    PromptState state = prompt({kDatabase});
    press(state, {.text = "?"});
    EXPECT_THAT(draw(state, {}), HasSubstr("write it in $EDITOR"));
    press(state, {.text = "x"});
    press(state, {.code = Key::Code::escape});
    EXPECT_THAT(draw(state, {}), HasSubstr("Dismiss without answering?"));
    press(state, {.code = Key::Code::escape});
    press(state, {.text = "n", .is_alt = true});
    press(state, {.text = "w"});
    EXPECT_THAT(draw(state, {}), HasSubstr("Note: w"));
}

TEST(Markdown, IsLinesWithNothingBehindThem) {
    const Block block = markdown_block(
        "# Title\n\nSome *em* and **strong** `code`.\n\n- one\n- two\n  1. inner\n\n"
        "> quoted\n\n```\nint main() {\n    return 0;\n}\n```\n\n[here](http://example.com/) "
        "<b>\x1b</b>",
        40, Charset::utf8);
    EXPECT_EQ(text_of(to_picture(block, 40, 100).grid), R"(Title

Some em and strong `code`.
• one
• two
  1. inner

│ quoted

│ int main() {
│     return 0;
│ }

here (http://example.com/) <b>\x1b</b>
)");
}

TEST(Markdown, LongWordsAndCodeGoOnBelow) {
    const Block block =
        markdown_block("aaaaaaaaaaaaaaaa bb\n\n    cccccccccccccc", 10, Charset::utf8);
    for (const Line& line : block.lines) EXPECT_LE(line_width(line), 10);
    EXPECT_THAT(text_of(to_picture(block, 10, 100).grid), HasSubstr("aaaaaaaaaa\naaaaaa bb"));
}

}  // namespace
}  // namespace parley
