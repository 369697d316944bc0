// SPDX-License-Identifier: Apache-2.0
// What a permission ask shows, and that nothing is allowed that was not on the screen to its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prompt/inbox_state.h"
#include "prompt/numbered.h"
#include "prompt/permission_asks_test.h"
#include "prompt/permission_block.h"
#include "prompt/prompt_keys_test.h"
#include "prompt/prompt_view.h"

namespace parley {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using Kind = PromptEffect::Kind;

PromptState prompt_for(AskSpec spec) {
    return {std::make_shared<AskSpec>(std::move(spec)), {}};
}

// Draws it, as a terminal of this size would, and tells the state so.
std::string show(PromptState& state, int columns = 80, int rows = 23) {
    const PromptDrawing drawing = draw_prompt(state, {.columns = columns, .rows = rows});
    state.drawn(drawing.range);
    return text_of(drawing.block);
}

std::string block_text(const AskSpec& spec, int cells = 76) {
    return text_of(permission_block(*spec.permission, cells, Charset::utf8));
}

TEST(PermissionGate, NothingIsAllowedBeforeItsLastLineWasOnTheScreen) {
    PromptState state = prompt_for(test::bash_ask());
    EXPECT_THAT(show(state), HasSubstr("2 more lines to read: PgDn"));
    for (const char* allow : {"1 Enter", "2 Enter"}) {
        EXPECT_EQ(press(state, allow).kind, Kind::none) << allow;
        EXPECT_THAT(state.notice, MatchesRegex("PgDn: [23] more lines to read before .*"));
        (void)show(state);
    }
    press(state, "1 PgDn");
    EXPECT_THAT(show(state), HasSubstr("description: Remove the old staging namespaces"));
    EXPECT_EQ(press(state, "Enter").answers, (Answers{{.selected = {"Allow once"}}}));
}

TEST(PermissionGate, EndLeadsToTheLastLineAndWhatWasReadStaysRead) {
    PromptState state = prompt_for(test::bash_ask());
    (void)show(state, 40, 11);
    press(state, "End");
    (void)show(state, 40, 11);
    press(state, "Home");
    (void)show(state, 40, 11);
    EXPECT_EQ(press(state, "1 Enter").kind, Kind::answer);
}

TEST(PermissionGate, DenyIsTakenAtOnce) {
    PromptState state = prompt_for(test::bash_ask());
    (void)show(state);
    EXPECT_EQ(press(state, "3 Enter").answers, (Answers{{.selected = {"Deny"}}}));
}

TEST(PermissionGate, WhatIsInSightAsAWholeNeedsNoScrolling) {
    PromptState state = prompt_for(test::write_ask());
    (void)show(state);
    EXPECT_EQ(press(state, "1 Enter").kind, Kind::answer);
}

TEST(PermissionGate, TheHelpIsNoReading) {
    PromptState state = prompt_for(test::bash_ask());
    (void)show(state);
    press(state, "? End");
    (void)show(state);
    press(state, "x");
    (void)show(state);
    EXPECT_EQ(press(state, "1 Enter").kind, Kind::none);
}

TEST(PermissionGate, OtherAsksAreAnsweredWhateverTheirContext) {
    AskSpec spec{.questions = {kClosed}};
    for (int i = 0; i < 100; ++i) spec.context = spec.context.value_or("") + "line\n\n";
    PromptState state = prompt_for(std::move(spec));
    (void)show(state);
    EXPECT_EQ(press(state, "1 Enter").kind, Kind::answer);
}

TEST(PermissionView, TheSummaryStandsWhereverOneScrollsTo) {
    for (const auto& [columns, rows] : {std::pair(40, 11), std::pair(80, 23), std::pair(30, 8)}) {
        PromptState state = prompt_for(test::mcp_ask());
        for (int i = 0; i < 12; ++i) {
            EXPECT_THAT(show(state, columns, rows), HasSubstr("mcp__github__create_issue"));
            press(state, "PgDn");
        }
    }
}

TEST(PermissionView, EveryLineCanBeReachedAtAnySize) {
    for (const auto& [columns, rows] : {std::pair(30, 8), std::pair(40, 11), std::pair(80, 23)}) {
        PromptState state = prompt_for(test::mcp_ask());
        std::string seen;
        do {
            seen += show(state, columns, rows) + "\n";
            press(state, "PgDn");
        } while (!state.has_read);
        for (const char* part : {"acme/shop", "tried 30", "payment", "250 ms", "three", "apart",
                                 "notify: true", "assignees: []"})
            EXPECT_THAT(seen, HasSubstr(part)) << columns;
    }
}

TEST(PermissionBlock, TellsChangesBySignsAndLeavesOutWhatTheyShow) {
    const std::string text = block_text(test::edit_ask());
    EXPECT_EQ(text,
              "@@ -1,2 +1,3 @@\n- const LIMIT = 3;\n- retry(LIMIT);\n+ const LIMIT = 30;\n"
              "+ // The bank is slow.\n+ retry(LIMIT, 250);\n\nreplace_all: true");
}

TEST(PermissionBlock, AChangeOfDashesIsNotTakenForTheHeadOfADiff) {
    AskSpec spec =
        test::permission_ask({.tool = "Edit",
                              .diff = "--- a\n+++ a\n@@ -1 +1 @@\n--- a list\n+++ b list\n",
                              .summary = "a"});
    EXPECT_EQ(block_text(spec), "@@ -1 +1 @@\n- -- a list\n+ ++ b list");
}

TEST(PermissionBlock, BlankLinesPushNothingOutOfSight) {
    std::string diff = "@@ -0,0 +1,60 @@\n+first\n";
    for (int i = 0; i < 58; ++i) diff += "+\n";
    const AskSpec spec = test::permission_ask(
        {.tool = "Write", .diff = diff + "+rm -rf /\n", .summary = "/etc/cron.d/x"});
    EXPECT_EQ(block_text(spec), "@@ -0,0 +1,60 @@\n+ first\n+ (58 blank lines)\n+ rm -rf /");
    const AskSpec bash =
        test::permission_ask({.tool = "Bash",
                              .input = R"({"command":"true\n\n\n\n\n\n\n\n\n\nrm -rf /"})",
                              .summary = "true rm -rf /"});
    EXPECT_EQ(block_text(bash), "$ true\n  (9 blank lines)\n  rm -rf /");
}

TEST(PermissionBlock, ALongCommandIsWholeAndKeepsItsBlanks) {
    const std::string command = "kubectl  delete namespace staging-old --context prod-eu-central-1";
    const AskSpec spec = test::permission_ask(
        {.tool = "Bash", .input = R"({"command":")" + command + R"("})", .summary = "kubectl"});
    std::string joined;
    for (const Line& line : permission_block(*spec.permission, 24, Charset::utf8).lines) {
        EXPECT_LE(line_width(line), 24);
        joined += line.back().text;
    }
    EXPECT_EQ(joined, command);
}

TEST(PermissionBlock, WhatTheSummarySaysWholeIsNotSaidAgain) {
    const AskSpec spec = test::permission_ask(
        {.tool = "Bash", .input = R"({"command":"make","timeout":5})", .summary = "make"});
    EXPECT_EQ(block_text(spec), "timeout: 5");
}

TEST(PermissionBlock, NothingInItActs) {
    const AskSpec spec =
        test::permission_ask({.tool = "Bash",
                              .input = R"({"command":"echo \u001b[2J","x\u001b]0;":["\u202egnp"]})",
                              .diff = "+\x1b[2J\n",
                              .plan = "a \x1b[31m b",
                              .summary = "echo"});
    const std::string text = block_text(spec);
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\u202e")));
    EXPECT_THAT(text, HasSubstr("$ echo \\x1b[2J"));
}

TEST(PermissionInTheInbox, TheSearchFindsWhatTheRowShows) {
    InboxState state;
    const InboxNow now{.mono = kNow, .wall = Instant(std::chrono::hours(1))};
    const Ask ask{.id = AskId(IdBits{.high = 1}),
                  .session = {},
                  .spec = std::make_shared<AskSpec>(test::edit_ask())};
    for (const Frame& frame :
         {Frame(SnapshotAsk{std::make_shared<Ask>(ask)}), Frame(SnapshotEnd{})})
        take(state, frame, [](Instant) { return std::string(); }, now);
    state.search = "retry.ts";
    EXPECT_EQ(state.rows(now.wall).size(), 1u);
    state.search = "values.yaml";
    EXPECT_TRUE(state.rows(now.wall).empty());
}

TEST(PermissionInLines, AllOfItIsPrintedBeforeTheChoices) {
    NumberedPrompt prompt(std::make_shared<AskSpec>(test::edit_ask()), {});
    const std::string page = prompt.start().text;
    EXPECT_THAT(page, HasSubstr("Edit: /srv/shop/src/payment/retry.ts\n"));
    EXPECT_LT(page.find("+ // The bank is slow."), page.find("1) Allow once"));
}

}  // namespace
}  // namespace parley
