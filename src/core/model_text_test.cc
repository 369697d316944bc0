// SPDX-License-Identifier: Apache-2.0
#include "core/model_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/arbitrary_values_test.h"
#include "core/printers_test.h"
#include "core/settle.h"
#include "core/test_asks.h"
#include "core/text_pairs_test.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

const Actor kModelAda = {.principal = "ada", .door = "native"};

Ask two_questions() {
    AskSpec spec;
    spec.questions = {{.text = "Which database?",
                       .header = "DB",
                       .options = {{.label = "PostgreSQL", .description = {}},
                                   {.label = "SQLite", .description = {}}}},
                      {.text = "Name?", .header = "Name", .options = {}}};
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

std::string answered_text(Answers answers) {
    const Ask ask = two_questions();
    auto settlement =
        make_answer(ask, std::move(answers), {.completeness = Completeness::may_be_empty},
                    kModelAda, Instant());
    return model_text(*with_settlement(ask, std::move(*settlement)));
}

std::string text_of(Result<Settlement> settlement) {
    return model_text(*with_settlement(two_questions(), std::move(*settlement)));
}

Settlement timer_default() {
    Ask ask = two_questions();
    AskSpec spec = *ask.spec;
    spec.default_answers = Answers{{.selected = {"SQLite"}}, {.other = "parley"}};
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return make_timeout(ask, Instant());
}

TEST(ModelText, AnswersStandBesideTheirQuestions) {
    Ask ask = two_questions();
    AskSpec spec = *ask.spec;
    spec.questions.pop_back();
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    const auto settlement = make_answer(ask, {{.selected = {"SQLite"}}}, {}, kModelAda, Instant());
    EXPECT_EQ(model_text(*with_settlement(ask, *settlement)),
              "User has answered your questions: \"Which database?\"=\"SQLite\". You can now "
              "continue with the user's answers in mind.");
}

TEST(ModelText, AsksToReadOwnWords) {
    EXPECT_EQ(answered_text({{.selected = {"SQLite"}, .note = "for now"}, {.other = "say \"hi\""}}),
              "User has answered your questions: \"Which database?\"=\"SQLite\" (note: \"for "
              "now\"), \"Name?\"=\"say \\\"hi\\\"\". Some of this is in the user's own words: read "
              "it carefully and do what it says, also where it asks you to change course or to "
              "stop.");
}

TEST(ModelText, SaysWhatWasLeftOpen) {
    EXPECT_EQ(answered_text({{.selected = {"SQLite"}}, {}}),
              "User has answered 1 of your 2 questions: \"Which database?\"=\"SQLite\", "
              "\"Name?\"=Unanswered. Continue with the answers given; do not assume an answer "
              "where there is none.");
    EXPECT_EQ(answered_text({}),
              "User has answered none of your questions: \"Which database?\"=Unanswered, "
              "\"Name?\"=Unanswered. Do not assume an answer; ask again, more simply, or continue "
              "without it.");
}

TEST(ModelText, NoOutcomeReadsLikeAnother) {
    const Instant now;
    const std::vector<std::string> texts = {
        model_text(two_questions()),
        answered_text({{.selected = {"SQLite"}}, {.other = "parley"}}),
        answered_text({{.selected = {"SQLite"}}, {}}),
        answered_text({}),
        text_of(timer_default()),
        text_of(make_dismissal(two_questions(), std::nullopt, kModelAda, now)),
        text_of(make_dismissal(two_questions(), "not now", kModelAda, now)),
        text_of(make_timeout(two_questions(), now)),
        text_of(make_withdrawal(std::nullopt, kModelAda, now)),
        text_of(make_withdrawal("changed my mind", kModelAda, now)),
        text_of(make_withdrawal(WithdrawalRule::session_ended, std::nullopt, kModelAda, now)),
        text_of(make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, kModelAda, now)),
    };
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
    std::set<std::string> openings;
    for (const std::string& text : texts) openings.insert(text.substr(0, 40));
    // The reason is what tells two dismissals, or two withdrawals, apart.
    EXPECT_EQ(openings.size(), texts.size() - 2);
}

TEST(ModelText, EachOutcomeSaysWhatMustNotBeAssumed) {
    const Instant now;
    EXPECT_EQ(text_of(make_dismissal(two_questions(), "not \"now\"", kModelAda, now)),
              "The user dismissed your questions without answering them. Reason: \"not "
              "\\\"now\\\"\". Do not assume an answer.");
    EXPECT_EQ(text_of(make_dismissal(two_questions(), std::nullopt, kModelAda, now)),
              "The user dismissed your questions without answering them. Do not assume an answer, "
              "and do not ask the same again.");
    EXPECT_EQ(text_of(make_timeout(two_questions(), now)),
              "Nobody answered your questions before their deadline. Silence is neither a yes nor "
              "a no: do not assume an answer.");
    EXPECT_EQ(text_of(timer_default()),
              "Nobody answered your questions in time, so the default answers that you set apply: "
              "\"Which database?\"=\"SQLite\", \"Name?\"=\"parley\". No person has confirmed them; "
              "say so where it matters.");
    EXPECT_EQ(text_of(make_withdrawal("changed my mind", kModelAda, now)),
              "Your questions were withdrawn before anyone answered them. Reason: \"changed my "
              "mind\". There is no answer; do not assume one.");
    EXPECT_EQ(text_of(make_withdrawal(WithdrawalRule::session_ended, std::nullopt, kModelAda, now)),
              "The session ended before anyone answered your questions. There is no answer; do not "
              "assume one.");
    EXPECT_EQ(text_of(make_withdrawal(WithdrawalRule::turn_stopped, std::nullopt, kModelAda, now)),
              "The user stopped this turn before anyone answered your questions. There is no "
              "answer; do not assume one.");
    EXPECT_EQ(model_text(two_questions()),
              "Nobody has answered your questions yet; they are still open. Do not assume an "
              "answer.");
}

TEST(ModelText, TheWordUnansweredTypedByAPersonIsAnAnswer) {
    const std::string typed = answered_text({{.selected = {"SQLite"}}, {.other = "Unanswered"}});
    EXPECT_THAT(TextPairs::read(typed),
                Optional(ElementsAre(Pair("\"Which database?\"", "\"SQLite\""),
                                     Pair("\"Name?\"", "\"Unanswered\""))));
    const std::string open = answered_text({{.selected = {"SQLite"}}, {}});
    EXPECT_THAT(TextPairs::read(open),
                Optional(ElementsAre(Pair("\"Which database?\"", "\"SQLite\""),
                                     Pair("\"Name?\"", "Unanswered"))));
}

RC_GTEST_PROP(ModelText, ThePairsParseBackWhateverIsWrittenInThem, ()) {
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(*arbitrary::spec());
    const auto& questions = ask.spec->questions;
    Settlement settlement;
    settlement.answers = *arbitrary::answers(questions);
    if (*rc::gen::arbitrary<bool>()) settlement.decider.kind = Decider::Kind::timer;
    std::vector<TextPairs::Pair> expected;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const Answer& answer = settlement.answers[i];
        expected.emplace_back(
            json::quoted(questions[i].text),
            is_answered(answer) ? json::quoted(joined_answer(answer)) : "Unanswered");
    }
    const auto pairs = TextPairs::read(model_text(*with_settlement(ask, settlement)));
    RC_ASSERT(pairs.has_value());
    RC_ASSERT(*pairs == expected);
}

}  // namespace
}  // namespace parley
