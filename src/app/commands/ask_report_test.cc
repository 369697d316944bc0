// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_report.h"

#include <gtest/gtest.h>

#include "text/json.h"

namespace parley::app {
namespace {

Ask settled(Settlement settlement) {
    AskSpec spec{.questions = {{.text = "Which database?",
                                .header = "Database",
                                .options = {{"PostgreSQL (Recommended)", ""}, {"SQLite", ""}}},
                               {.text = "Which features?",
                                .header = "Features",
                                .options = {{"Dark", ""}, {"Offline", ""}},
                                .multi_select = true}}};
    return {.id = {},
            .session = {},
            .spec = std::make_shared<AskSpec>(std::move(spec)),
            .settlement = std::make_shared<Settlement>(std::move(settlement))};
}

Settlement answered(Answers answers) {
    return {.outcome = Outcome::answered,
            .answers = std::move(answers),
            .decider = {.kind = Decider::Kind::person, .principal = "uid 1", .name = "ada"},
            .door = "page"};
}

TEST(AskReport, LabelsAndTextsAreLinesOfStdout) {
    const Ask ask = settled(answered({{.selected = {"PostgreSQL (Recommended)"}},
                                      {.selected = {"Dark", "Offline"}, .other = "a\nb"}}));
    const AskReport here = report_of(ask, {.was_answered_here = true});
    EXPECT_EQ(here.out, "PostgreSQL (Recommended)\nDark\nOffline\na\nb\n");
    EXPECT_EQ(here.err, "✓ Database: PostgreSQL\n✓ Features: Dark, Offline, a b\n");
    EXPECT_EQ(here.code, ExitCode::done);
}

TEST(AskReport, WhoAnsweredElsewhereIsSaid) {
    const Ask ask = settled(answered({{.selected = {"SQLite"}}, {}}));
    const AskReport report = report_of(ask, {.is_out_tty = true});
    EXPECT_EQ(report.out, "SQLite\n\n") << "a question that was left out keeps its line";
    EXPECT_EQ(report.err, "parley ask: answered by ada in the web page\n");
}

TEST(AskReport, OnATerminalNothingInTheAnswerActs) {
    const Ask ask = settled(answered({{.other = "\x1b[2J"}, {.selected = {"Dark"}}}));
    EXPECT_EQ(report_of(ask, {.is_out_tty = true}).out, "\\x1b[2J\nDark\n");
    EXPECT_EQ(report_of(ask, {}).out, "\x1b[2J\nDark\n");
}

TEST(AskReport, EachOutcomeHasItsCodeAndItsWords) {
    const auto report = [](Outcome outcome, Decider::Kind kind) {
        return report_of(
            settled({.outcome = outcome,
                     .decider = {.kind = kind, .principal = "uid 1"},
                     .door = "terminal",
                     .note = outcome == Outcome::dismissed ? std::optional<std::string>("later")
                                                           : std::nullopt}),
            {});
    };
    const AskReport dismissed = report(Outcome::dismissed, Decider::Kind::person);
    EXPECT_EQ(dismissed.code, ExitCode::dismissed);
    EXPECT_EQ(dismissed.err, "parley ask: dismissed by uid 1 in the terminal: later\n");
    EXPECT_EQ(dismissed.out, "");
    const AskReport timed_out = report(Outcome::timed_out, Decider::Kind::timer);
    EXPECT_EQ(timed_out.code, ExitCode::timed_out);
    EXPECT_EQ(timed_out.err, "parley ask: timed out\n");
    const AskReport withdrawn = report(Outcome::withdrawn, Decider::Kind::agent);
    EXPECT_EQ(withdrawn.code, ExitCode::withdrawn);
    EXPECT_EQ(withdrawn.err, "parley ask: withdrawn by the agent\n");
}

TEST(AskReport, WhatRunsIsNamed) {
    const Ask ask = settled(answered({{.selected = {"SQLite"}}, {.selected = {"Dark"}}}));
    EXPECT_EQ(report_of(ask, {.command = "run claude", .form = AnswerForm::none}).err,
              "parley run claude: answered by ada in the web page\n"
              "✓ Database: SQLite\n✓ Features: Dark\n");
}

TEST(AskReport, TheTimersAnswerIsCalledThat) {
    Settlement settlement = answered({{.selected = {"SQLite"}}, {.selected = {"Dark"}}});
    settlement.decider = {.kind = Decider::Kind::timer};
    settlement.door = "timer";
    const AskReport report = report_of(settled(settlement), {.charset = Charset::ascii});
    EXPECT_EQ(report.code, ExitCode::done);
    EXPECT_EQ(report.out, "SQLite\nDark\n");
    EXPECT_EQ(report.err,
              "parley ask: answered by the timer with the asker's default\n"
              "[ok] Database: SQLite\n[ok] Features: Dark\n");
}

TEST(AskReport, JsonIsTheWholeAskWhateverTheOutcome) {
    const Ask ask = settled({.outcome = Outcome::timed_out,
                             .decider = {.kind = Decider::Kind::timer},
                             .door = "timer"});
    const AskReport report = report_of(ask, {.form = AnswerForm::json, .session = "mine"});
    const auto document = json::parse(report.out);
    ASSERT_TRUE(document);
    EXPECT_EQ(document->at("state").as_string(), "timed_out");
    EXPECT_EQ(document->at("session").as_string(), "mine");
    EXPECT_EQ(report.code, ExitCode::timed_out);
}

}  // namespace
}  // namespace parley::app
