// SPDX-License-Identifier: Apache-2.0
#include "core/display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/door_names.h"
#include "core/settle.h"
#include "core/settlement_phrase.h"

namespace parley {
namespace {

using testing::ElementsAre;

Question question_with(std::vector<std::string> labels) {
    Question question = {.text = "Q?", .header = "Database", .options = {}};
    for (std::string& label : labels)
        question.options.push_back({.label = std::move(label), .description = {}});
    return question;
}

TEST(ShownLabel, RecommendedIsABadgeOnTheFirstLabelOnly) {
    const Question question =
        question_with({"PostgreSQL (Recommended)", "SQLite (Recommended)", "(Recommended)"});
    EXPECT_EQ(shown_label(question, 0).text, "PostgreSQL");
    EXPECT_TRUE(shown_label(question, 0).is_recommended);
    EXPECT_EQ(shown_label(question, 1).text, "SQLite (Recommended)");
    EXPECT_FALSE(shown_label(question, 1).is_recommended);
    EXPECT_TRUE(shown_label(question_with({"a (recommended)"}), 0).is_recommended);
}

TEST(ShownLabel, NeverBecomesEmpty) {
    EXPECT_EQ(shown_label(question_with({"(Recommended)"}), 0).text, "(Recommended)");
    EXPECT_EQ(shown_label(question_with({" (Recommended)"}), 0).text, " (Recommended)");
}

TEST(ShownHeader, IsCutByCharactersForDisplay) {
    Question question = question_with({});
    question.header = "A header of more than twelve";
    EXPECT_EQ(shown_header(question, kStrictProfile), "A header of…");
    EXPECT_EQ(shown_header(question, kOpenProfile), "A header of more than twelve");
}

TEST(OtherRow, IsAddedUnlessTheAgentHasItsOwnOrForbidsFreeText) {
    EXPECT_TRUE(adds_other_row(question_with({"A", "B"})));
    EXPECT_FALSE(adds_other_row(question_with({"A", "Other"})));
    EXPECT_FALSE(adds_other_row(question_with({"A", " OTHER "})));
    EXPECT_TRUE(adds_other_row(question_with({"Another"})));
    EXPECT_TRUE(adds_other_row(question_with({})));
    Question closed = question_with({"A"});
    closed.custom = false;
    EXPECT_FALSE(adds_other_row(closed));
}

Ask answered(Answers answers) {
    AskSpec spec;
    spec.questions = {question_with({"PostgreSQL (Recommended)", "SQLite"}),
                      question_with({"Dark mode", "Offline"}), question_with({})};
    spec.questions[1].header = "Features";
    spec.questions[2].header = "Name";
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.outcome = Outcome::answered, .answers = std::move(answers)});
    return ask;
}

TEST(AskTitle, IsWhatIsPermittedOrTheQuestionWithoutSayingItTwice) {
    AskSpec spec{.questions = {question_with({"A"})}};
    EXPECT_EQ(ask_title(spec), "Database: Q?");
    spec.questions[0].header = "Q";
    EXPECT_EQ(ask_title(spec), "Q?") << "the header was made from the question";
    spec.questions.push_back(question_with({"B"}));
    spec.questions[0].text = "One\nline,  not\x1b two?";
    EXPECT_EQ(ask_title(spec), "Q: One line, not\\x1b two? (+1)");
    spec.permission = PermissionRequest{.tool = "Bash", .summary = "make install"};
    EXPECT_EQ(ask_title(spec), "make install");
}

TEST(SummaryLines, OfAPermissionTheDecisionComesFirst) {
    AskSpec spec{.questions = {question_with({"Allow once", "Deny"})},
                 .permission = PermissionRequest{.tool = "Bash", .summary = "make install"}};
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.answers = {{.selected = {"Deny"}, .note = "not now"}}});
    EXPECT_THAT(summary_lines(ask), ElementsAre("Deny (note: not now): make install"));
}

TEST(SummaryLines, SayWhatWasChosenOnOneLineEach) {
    EXPECT_THAT(summary_lines(answered({{.selected = {"PostgreSQL (Recommended)"}},
                                        {.selected = {"Dark mode", "Offline"}, .other = "Sync"},
                                        {}})),
                ElementsAre("Database: PostgreSQL", "Features: Dark mode, Offline, Sync",
                            "Name: (unanswered)"));
}

TEST(SummaryLines, FreeTextCannotForgeALine) {
    EXPECT_THAT(summary_lines(answered({{.selected = {"SQLite"}, .note = "x\ny"},
                                        {.other = "a\nb\x1b[2J"},
                                        {.other = std::string(500, 'z')}})),
                ElementsAre("Database: SQLite (note: x y)", "Features: a b\\x1b[2J",
                            "Name: " + std::string(199, 'z') + "…"));
}

TEST(SummaryLines, ThereAreNoneWithoutAnAnswer) {
    Ask ask = answered({});
    ask.settlement = nullptr;
    EXPECT_THAT(summary_lines(ask), ElementsAre());
    ask.settlement = std::make_shared<const Settlement>(Settlement{.outcome = Outcome::dismissed});
    EXPECT_THAT(summary_lines(ask), ElementsAre());
}

TEST(SettlementPhrase, NamesWhoWhereAndWhen) {
    const Ask ask = answered({});
    const Actor ada = {.principal = "token-7", .door = "page", .name = "ada"};
    Settlement settlement = {.outcome = Outcome::answered,
                             .decider = {.principal = "token-7", .name = "ada"},
                             .door = "page"};
    EXPECT_EQ(settlement_phrase(settlement, "14:03"), "answered by ada in the web page at 14:03");
    EXPECT_EQ(settlement_phrase(settlement), "answered by ada in the web page");
    settlement.decider.claimed = "bob\n";
    EXPECT_EQ(settlement_phrase(settlement), "answered by ada (as “bob”) in the web page");
    settlement.decider.claimed.reset();
    settlement.decider.name.reset();
    EXPECT_EQ(settlement_phrase(settlement), "answered by token-7 in the web page");
    settlement.decider.principal.clear();
    EXPECT_EQ(settlement_phrase(settlement), "answered by someone in the web page");
    EXPECT_EQ(settlement_phrase(*make_dismissal(ask, "not\nnow", ada, Instant()), "14:03"),
              "dismissed by ada in the web page at 14:03: not now");
    EXPECT_EQ(settlement_phrase(make_timeout(ask, Instant())), "timed out");
    EXPECT_EQ(settlement_phrase(*make_withdrawal("done", ada, Instant())),
              "withdrawn by the agent: done");
    EXPECT_EQ(settlement_phrase(
                  *make_withdrawal(WithdrawalRule::session_ended, std::nullopt, ada, Instant())),
              "withdrawn because the session ended");
    EXPECT_EQ(settlement_phrase(
                  *make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, ada, Instant())),
              "withdrawn because the turn was stopped");
}

TEST(SettlementPhrase, SaysWhenTheTimerAnswered) {
    Ask ask = answered({});
    AskSpec spec = *ask.spec;
    spec.default_answers = Answers(3);
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    EXPECT_EQ(settlement_phrase(make_timeout(ask, Instant())),
              "answered by the timer with the asker's default");
}

TEST(DoorNames, EveryDoorHasAPhrase) {
    EXPECT_EQ(door_names::phrase(door_names::kNative), "through the API");
    EXPECT_EQ(door_names::phrase(door_names::kTrpc), "through tRPC");
    EXPECT_EQ(door_names::phrase(door_names::kToolResult), "in the chat");
    EXPECT_EQ(door_names::phrase(door_names::kChatSocket), "in the chat");
    EXPECT_EQ(door_names::phrase(door_names::kOpenCode), "through OpenCode");
    EXPECT_EQ(door_names::phrase(door_names::kMcp), "through MCP");
    EXPECT_EQ(door_names::phrase(door_names::kClaude), "in Claude Code");
    EXPECT_EQ(door_names::phrase(door_names::kTerminal), "in the terminal");
    EXPECT_EQ(door_names::phrase(door_names::kPage), "in the web page");
    EXPECT_EQ(door_names::phrase(door_names::kProgram), "in the program");
    EXPECT_EQ(door_names::phrase("slack\x1b"), "through slack\\x1b");
}

}  // namespace
}  // namespace parley
