// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/model_text.h"
#include "core/printers_test.h"
#include "core/settle.h"
#include "core/test_asks.h"
#include "core/text_pairs_test.h"

namespace parley::opencode {
namespace {

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

const Actor kAskedAda = {.principal = "ada", .door = "opencode"};

Ask sample_ask() {
    AskSpec spec;
    spec.questions = {{.text = "What is your favorite color?",
                       .header = "Color",
                       .options = {{.label = "Blue", .description = "like the sky"},
                                   {.label = "Red", .description = "like a rose"}}},
                      {.text = "Toppings?",
                       .header = "Toppings",
                       .options = {{.label = "Ham", .description = ""}},
                       .multi_select = true}};
    Ask ask;
    ask.id = AskId(IdBits{.high = 0, .low = 2});
    ask.session = SessionId(IdBits{.high = 0, .low = 4});
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

json::Value document(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(json::Value());
}

TEST(OpenCode, ARequestLeavesDefaultsOut) {
    std::string text;
    json::Writer out(text);
    write_request(out, sample_ask(), {.message_id = "msg_1", .call_id = "toolu_1"});
    EXPECT_EQ(
        text,
        R"({"id":"que_00000000000000000000000002","sessionID":"ses_00000000000000000000000004",)"
        R"("questions":[{"question":"What is your favorite color?","header":"Color","options":)"
        R"([{"label":"Blue","description":"like the sky"},)"
        R"({"label":"Red","description":"like a rose"}]},{"question":"Toppings?",)"
        R"("header":"Toppings","options":[{"label":"Ham","description":""}],)"
        R"("multiple":true}],"tool":{"messageID":"msg_1","callID":"toolu_1"}})");
}

TEST(OpenCode, EventsNameTheRequest) {
    const Ask ask = sample_ask();
    const auto answered =
        make_answer(ask, {{.selected = {"Blue"}}, {.selected = {"Ham"}, .other = "corn"}}, {},
                    kAskedAda, Instant());
    EXPECT_EQ(
        replied_properties(*with_settlement(ask, *answered)),
        R"({"sessionID":"ses_00000000000000000000000004",)"
        R"("requestID":"que_00000000000000000000000002","answers":[["Blue"],["Ham","corn"]]})");
    EXPECT_EQ(rejected_properties(ask), R"({"sessionID":"ses_00000000000000000000000004",)"
                                        R"("requestID":"que_00000000000000000000000002"})");
}

struct BadReply {
    std::string body;  // empty: none
    std::string message;
};

TEST(OpenCode, ABadReplyIsRefusedInItsOwnWords) {
    const std::vector<BadReply> replies = {
        {"", "Expected object, got undefined"},
        {"null", "Expected object, got null"},
        {"[]", "Expected object, got []"},
        {"{}", "Missing key\n  at [\"answers\"]"},
        {R"({"answers":"Blue"})", "Expected array, got \"Blue\"\n  at [\"answers\"]"},
        {R"({"answers":["Blue"]})", "Expected QuestionAnswer, got \"Blue\"\n  at [\"answers\"][0]"},
        {R"({"answers":[null,["Ham"]]})",
         "Expected QuestionAnswer, got null\n  at [\"answers\"][0]"},
        {R"({"answers":[[1]]})", "Expected string, got 1\n  at [\"answers\"][0][0]"},
    };
    for (const BadReply& reply : replies) {
        const auto refused =
            read_reply(reply.body.empty() ? std::nullopt : std::optional(document(reply.body)));
        ASSERT_FALSE(refused.has_value()) << reply.body;
        EXPECT_EQ(refused.error().code, ErrorCode::invalid);
        EXPECT_EQ(refused.error().message, reply.message);
    }
}

TEST(OpenCode, ARefusalIsCut) {
    const auto refused =
        read_reply(document(fmt::format(R"({{"answers":"{}"}})", std::string(5000, 'x'))));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message.size(), 1024U);
}

Result<Answers> reply(std::string_view body) {
    TRY(texts, read_reply(document(body)));
    return sort_reply(sample_ask().spec->questions, std::move(texts));
}

TEST(OpenCode, AReplyMayBeShortOrEmptyOrTooLong) {
    EXPECT_THAT(*reply(R"({"answers":[["Blue"]],"extra":1})"),
                ElementsAre(Answer{.selected = {"Blue"}}, Answer{}));
    EXPECT_THAT(*reply(R"({"answers":[]})"), ElementsAre(Answer{}, Answer{}));
    EXPECT_THAT(*reply(R"({"answers":[[],[""]]})"), ElementsAre(Answer{}, Answer{}));
    EXPECT_THAT(
        *reply(R"({"answers":[["Green"],["Ham","corn"],["more"]]})"),
        ElementsAre(Answer{.other = "Green"}, Answer{.selected = {"Ham"}, .other = "corn"}));
}

TEST(OpenCode, TwoTextsOnASingleChoiceAreRefused) {
    const auto refused = reply(R"({"answers":[["Blue","Red"]]})");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message,
              "this question takes one choice, and this is another; keep one\n  at "
              "[\"answers\"][0][1]");
    EXPECT_EQ(refused.error().faults.at(0).path, "/answers/0/1");
}

TEST(OpenCode, TheOutputIsTheOriginalsTextWhereNothingNeedsEscaping) {
    const Ask ask = sample_ask();
    const std::vector<Question> one = {ask.spec->questions[0]};
    EXPECT_EQ(output_text(one, {{.selected = {"Blue"}}}),
              "User has answered your questions: \"What is your favorite color?\"=\"Blue\". You "
              "can now continue with the user's answers in mind.");
    EXPECT_EQ(output_text(ask.spec->questions, {{}, {.selected = {"Ham"}, .other = "two\nlines"}}),
              "User has answered your questions: \"What is your favorite color?\"=\"Unanswered\", "
              "\"Toppings?\"=\"Ham, two\nlines\". You can now continue with the user's answers in "
              "mind.");
}

TEST(OpenCode, QuotesInTheOutputAreEscaped) {
    const std::vector<Question> one = {sample_ask().spec->questions[0]};
    const std::string text = output_text(one, {{.other = R"("hi", he said \)", .note = "n\"o"}});
    EXPECT_EQ(text,
              "User has answered your questions: \"What is your favorite "
              "color?\"=\"\\\"hi\\\", he said \\\\\" (note: \"n\\\"o\"). You can now continue with "
              "the user's answers in mind.");
}

TEST(OpenCode, TheTitleCountsQuestions) {
    EXPECT_EQ(title(0), "Asked 0 question");
    EXPECT_EQ(title(1), "Asked 1 question");
    EXPECT_EQ(title(2), "Asked 2 questions");
}

TEST(OpenCode, TheErrorTextTellsADismissalFromTheOtherEnds) {
    const Ask ask = sample_ask();
    EXPECT_EQ(
        error_text(*with_settlement(ask, *make_dismissal(ask, std::nullopt, kAskedAda, Instant()))),
        "The user dismissed this question");
    const AskPtr reasoned =
        with_settlement(ask, *make_dismissal(ask, "later", kAskedAda, Instant()));
    EXPECT_EQ(error_text(*reasoned), model_text(*reasoned));
    const AskPtr late = with_settlement(ask, make_timeout(ask, Instant()));
    EXPECT_EQ(error_text(*late), model_text(*late));
}

RC_GTEST_PROP(OpenCode, AnswersReadBack, ()) {
    const auto questions = *arbitrary::questions();
    Answers answers = *arbitrary::answers(questions);
    for (Answer& answer : answers) answer.note.reset();
    std::string text = R"({"answers":)";
    json::Writer out(text);
    write_answers(out, questions, answers);
    auto texts = read_reply(document(text + "}"));
    RC_ASSERT(texts.has_value());
    const auto read = sort_reply(questions, std::move(*texts));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == answers);
}

RC_GTEST_PROP(OpenCode, QuestionsReadBackButForPreviews, ()) {
    auto questions = *arbitrary::questions();
    for (Question& question : questions)
        for (Option& option : question.options) option.preview.reset();
    std::string text;
    json::Writer out(text);
    write_questions(out, questions);
    const auto read = read_questions(document(text), kOpenProfile);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == questions);
}

std::string escaped(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

RC_GTEST_PROP(OpenCode, TheOutputParsesBackWhateverIsWrittenInIt, ()) {
    const auto questions = *arbitrary::questions();
    const Answers answers = *arbitrary::answers(questions);
    std::vector<TextPairs::Pair> expected;
    for (std::size_t i = 0; i < questions.size(); ++i)
        expected.emplace_back(
            escaped(questions[i].text),
            escaped(is_answered(answers[i]) ? joined_answer(answers[i]) : "Unanswered"));
    const auto pairs = TextPairs::read(output_text(questions, answers));
    RC_ASSERT(pairs.has_value());
    RC_ASSERT(*pairs == expected);
}

}  // namespace
}  // namespace parley::opencode
