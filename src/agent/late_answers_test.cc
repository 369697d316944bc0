// SPDX-License-Identifier: Apache-2.0
#include "agent/late_answers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LateAnswersTest : public testing::Test {
protected:
    LateAnswersTest() {
        Question question;
        question.text = "Which?";
        question.options = {{"A", ""}, {"B", ""}};
        spec_.questions = {question};
        spec_.tool = ToolCall{{}, "toolu_1"};
        spec_.agent = "claude-code";
    }

    AskPtr settled(Outcome outcome = Outcome::answered) const {
        Settlement settlement{.outcome = outcome};
        if (outcome == Outcome::answered) settlement.answers = {{.selected = {"B"}}};
        auto ask = std::make_shared<Ask>();
        ask->id = id_;
        ask->spec = std::make_shared<AskSpec>(spec_);
        ask->settlement = std::make_shared<Settlement>(std::move(settlement));
        return ask;
    }
    void call(const std::string& id, const std::string& input) {
        late_.note({.kind = Part::Kind::tool_input, .part_id = id, .body = input});
    }
    void result(const std::string& id, const std::string& tool, const std::string& output) {
        late_.note({.kind = Part::Kind::tool_output, .part_id = id, .tool = tool, .body = output});
    }
    static Event happened(EventBody body) { return {{}, {}, {}, std::move(body)}; }
    std::string pending() const {
        return fmt::format(R"("The user has not answered yet. The question stays open as {}.")",
                           id_.str());
    }

    AskId id_{IdBits{1, 2}};
    AskSpec spec_;
    LateAnswers late_{"claude"};
};

TEST_F(LateAnswersTest, ACallThatEndedAsPendingIsTakenUpOnce) {
    call("toolu_1", "{}");
    result("toolu_1", "mcp__parley__ask_user", pending());
    EXPECT_THAT(late_.take(), IsEmpty());
    const AskPtr ask = settled();
    late_.settled(ask);
    EXPECT_THAT(late_.take(), ElementsAre(ask));
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, TheBrokersWordMayComeFirst) {
    call("toolu_1", "{}");
    const AskPtr ask = settled();
    late_.settled(ask);
    EXPECT_THAT(late_.take(), IsEmpty());
    result("toolu_1", "mcp__parley__ask_user", pending());
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, WhatTheCallItselfBringsIsNotLate) {
    call("toolu_1", "{}");
    late_.settled(settled());
    result("toolu_1", "mcp__parley__ask_user", R"("User has answered your questions")");
    late_.calls_ended();
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, NorWhatACallBringsThatWaitsForIt) {
    call("toolu_1", "{}");
    result("toolu_1", "mcp__parley__ask_user", pending());
    call("toolu_2", fmt::format(R"({{"ask_id":"{}"}})", id_.str()));
    late_.settled(settled());
    EXPECT_THAT(late_.take(), IsEmpty());
    result("toolu_2", "mcp__parley__wait_answer", R"("User has answered your questions")");
    EXPECT_THAT(late_.take(), IsEmpty());
}

// Each program lists Parley's tools in its own way; the broker's word comes after the call's.
TEST_F(LateAnswersTest, NorWhatItBringsBeforeTheBrokerSaysSoByWhateverNameItIsCalled) {
    for (const std::string_view name :
         {"mcp__parley__wait_answer", "parley_wait_answer", "parley-wait_answer",
          "mcp_parley_wait_answer", "wait_answer (parley MCP Server)"}) {
        LateAnswers late("claude");
        late.note({.kind = Part::Kind::tool_input, .part_id = "1", .body = "{}"});
        late.note({.kind = Part::Kind::tool_output,
                   .part_id = "1",
                   .tool = std::string(name),
                   .body = pending()});
        late.note({.kind = Part::Kind::tool_input,
                   .part_id = "2",
                   .body = fmt::format(R"({{"ask_id":"{}"}})", id_.str())});
        late.note({.kind = Part::Kind::tool_output,
                   .part_id = "2",
                   .tool = std::string(name),
                   .body = R"("User has answered your questions")"});
        late.settled(settled());
        EXPECT_THAT(late.take(), IsEmpty()) << name;
    }
}

TEST_F(LateAnswersTest, AWaitThatIsStoppedBringsNothing) {
    call("toolu_1", "{}");
    result("toolu_1", "mcp__parley__ask_user", pending());
    call("toolu_2", fmt::format(R"({{"ask_id":"{}"}})", id_.str()));
    const AskPtr ask = settled();
    late_.settled(ask);
    late_.calls_ended();
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, AskedByACommandInTheBackground) {
    spec_.tool.reset();
    call("toolu_1", R"({"command":"parley ask --background …"})");
    result("toolu_1", "Bash", fmt::format(R"("{}")", id_.str()));
    const AskPtr ask = settled();
    late_.settled(ask);
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, ACommandThatWaitsBringsItItself) {
    spec_.tool.reset();
    call("toolu_1", R"({"command":"parley ask …"})");
    result("toolu_1", "Bash", fmt::format(R"("parley ask: waits as {}; …\nB")", id_.str()));
    late_.settled(settled());
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, WhatWasOpenWhenTheAgentCameBackIsLate) {
    const AskPtr ask = settled();
    late_.found(ask);
    late_.settled(ask);
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, WhatTheLogSaysWasLeftOpenAndSettledLaterIsLate) {
    const auto recall = [&](EventBody body) { late_.recall(happened(std::move(body))); };
    const auto part = [&](Part part) {
        recall(PartAdded{std::make_shared<const Part>(std::move(part))});
    };
    const AskPtr ask = settled();
    part({.kind = Part::Kind::tool_input, .part_id = "toolu_1", .body = "{}"});
    part({.kind = Part::Kind::tool_output,
          .part_id = "toolu_1",
          .tool = "mcp__parley__ask_user",
          .body = pending()});
    recall(AskSettled{ask});
    LateAnswers again = late_;
    late_.recalled();
    EXPECT_THAT(late_.take(), ElementsAre(ask));
    // An earlier run has told it.
    const std::vector<AskPtr> told = {ask};
    again.recall(happened(NoticeGiven{.text = late_answers_notice("Claude Code", told)}));
    again.recalled();
    EXPECT_THAT(again.take(), IsEmpty());
}

TEST_F(LateAnswersTest, ACallThatTheAgentsEndCutOffBringsNothing) {
    const AskPtr ask = settled();
    const Part call{.kind = Part::Kind::tool_input, .part_id = "toolu_1", .body = "{}"};
    late_.recall(happened(PartAdded{std::make_shared<const Part>(call)}));
    late_.recall(happened(AskSettled{ask}));
    late_.recalled();
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, ATitleThatNamesAnotherAskDoesNotTellIt) {
    const AskPtr ask = settled();
    late_.found(ask);
    late_.recall(happened(AskSettled{ask}));
    auto other = std::make_shared<Ask>(*ask);
    other->id = AskId(IdBits{1, 3});
    AskSpec spec = spec_;
    spec.questions[0].text = ask->id.str();
    other->spec = std::make_shared<AskSpec>(spec);
    const std::vector<AskPtr> told = {other};
    late_.recall(happened(NoticeGiven{.text = late_answers_notice("Claude Code", told)}));
    EXPECT_THAT(late_.take(), ElementsAre(ask));
}

TEST_F(LateAnswersTest, PeopleAreToldWhichOnesWereGiven) {
    const AskPtr ask = settled();
    const std::vector<AskPtr> told = {ask, ask};
    EXPECT_THAT(late_answers_notice("Claude Code", told),
                testing::MatchesRegex("Claude Code is told how “.*Which.*” ended \\(que_[^)]*\\), "
                                      "how “.*Which.*” ended \\(que_[^)]*\\)"));
}

TEST_F(LateAnswersTest, TheDriversOwnAsksAreNot) {
    spec_.agent = "claude";
    late_.found(settled());
    late_.settled(settled());
    EXPECT_THAT(late_.take(), IsEmpty());
}

// OpenCode calls itself by the name that its driver has for it.
TEST_F(LateAnswersTest, ButThoseOfItsCallsAreInWhicheverOrderTheyCome) {
    spec_.agent = "claude";
    const AskPtr ask = settled();
    for (const std::string& output :
         {pending(), id_.str() + "\n", fmt::format(R"("{}\n")", id_.str())}) {
        late_ = LateAnswers("claude");
        result("toolu_1", "Bash", output);
        late_.settled(ask);
        EXPECT_THAT(late_.take(), ElementsAre(ask)) << output;
        late_ = LateAnswers("claude");
        call("toolu_1", "{}");
        late_.settled(ask);
        result("toolu_1", "Bash", pending());
        EXPECT_THAT(late_.take(), ElementsAre(ask));
    }
}

// As a model's driver does, which tells their answers itself.
TEST_F(LateAnswersTest, ThoseOfCallsThatTheDriverRunsAreItsOwn) {
    spec_.agent = "llm";
    late_ = LateAnswers("llm", LateAnswers::Calls::drivers);
    result("toolu_1", "ask_user", pending());
    late_.settled(settled());
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, ButNotThoseThatACallOnlyNames) {
    spec_.agent = "claude";
    result("toolu_1", "Bash", fmt::format("{}  claude  May I?\n1 waiting\n", id_.str()));
    late_.settled(settled());
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, UnlessTheAgentMissedTheAnswer) {
    spec_.agent = "claude";
    const AskPtr ask = settled();
    late_.missed(ask);
    late_.settled(ask);
    EXPECT_THAT(late_.take(), ElementsAre(ask));
    EXPECT_THAT(late_.take(), IsEmpty());
}

TEST_F(LateAnswersTest, WhatTheLogSaysWasMissedIsToldByTheNextRunOnce) {
    spec_.agent = "claude";
    const AskPtr ask = settled();
    late_.recall(happened(AskSettled{ask}));
    late_.recall(happened(NoticeGiven{.text = missed_answer_notice("Claude Code", *ask)}));
    LateAnswers again = late_;
    late_.recalled();
    EXPECT_THAT(late_.take(), ElementsAre(ask));
    const std::vector<AskPtr> told = {ask};
    again.recall(happened(NoticeGiven{.text = late_answers_notice("Claude Code", told)}));
    again.recalled();
    EXPECT_THAT(again.take(), IsEmpty());
}

TEST_F(LateAnswersTest, TheWordsSayWhoseTheyAre) {
    EXPECT_EQ(late_answer_text(*settled()),
              fmt::format("Here is the user's answer to what you asked earlier ({}). User has "
                          "answered your questions: \"Which?\"=\"B\". You can now continue with "
                          "the user's answers in mind.",
                          id_.str()));
    EXPECT_EQ(
        late_answer_text(*settled(Outcome::timed_out)),
        fmt::format("About what you asked earlier ({}): Nobody answered your questions before "
                    "their deadline. Silence is neither a yes nor a no: do not assume an "
                    "answer.",
                    id_.str()));
}

}  // namespace
}  // namespace parley
