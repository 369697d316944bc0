// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/ask_user_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/answers.h"
#include "core/arbitrary_values_test.h"
#include "core/json_fields.h"
#include "core/printers_test.h"

namespace parley::claude {
namespace {

using testing::ElementsAre;
using testing::Field;

json::Value document(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(json::Value());
}

template <class Write>
std::string written(Write write) {
    std::string text;
    json::Writer out(text);
    write(out);
    return text;
}

constexpr std::string_view kInput =
    R"({"questions":[{"question":"Which database should we use?","header":"Database","options":)"
    R"([{"label":"PostgreSQL 16","description":"Relational","preview":"psql>"},)"
    R"({"label":"SQLite","description":"Embedded"}],"multiSelect":false},)"
    R"({"question":"Which features?","header":"Features","options":)"
    R"([{"label":"Dark mode","description":""},{"label":"Offline, sync","description":""}],)"
    R"("multiSelect":true}]})";

std::vector<Question> questions() {
    auto read = read_input(document(kInput));
    EXPECT_TRUE(read.has_value());
    return read.value_or(std::vector<Question>());
}

const Answers kAnswers = {{.selected = {"PostgreSQL 16"}, .note = "as before"},
                          {.selected = {"Dark mode", "Offline, sync"}, .other = "more"}};

TEST(Claude, TheToolInputReadsAndWritesBack) {
    EXPECT_EQ(R"({"questions":)" +
                  written([](json::Writer& out) { write_questions(out, questions()); }) + "}",
              kInput);
}

TEST(Claude, AModelCannotAnswerForThePerson) {
    json::Value input = document(kInput);
    input.as_object()["answers"] = document(R"({"Which features?":"Dark mode"})");
    EXPECT_EQ(*read_input(input), questions());
    EXPECT_EQ(updated_input(input, questions(), {}),
              std::string(kInput.substr(0, kInput.size() - 1)) + R"(,"answers":{}})");
}

TEST(Claude, TheStrictProfileHoldsForItsQuestions) {
    const auto refused = read_input(document(R"({"questions":[{"question":"Q?"}]})"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.at(0).path, "/questions/0/options");
}

TEST(Claude, AnswersAreKeyedByQuestionText) {
    const auto text = [](JoinStyle style) {
        return written(
            [&](json::Writer& out) { write_answers(out, questions(), kAnswers, style); });
    };
    EXPECT_EQ(text(JoinStyle::plain), R"({"Which database should we use?":"PostgreSQL 16",)"
                                      R"("Which features?":"Dark mode, Offline, sync, more"})");
    EXPECT_EQ(text(JoinStyle::claude),
              R"({"Which database should we use?":"PostgreSQL 16",)"
              R"("Which features?":"Dark mode, \"Offline, sync\", more"})");
}

TEST(Claude, AnUnansweredQuestionHasNoEntry) {
    EXPECT_EQ(written([](json::Writer& out) {
                  write_answers(out, questions(), {{}, {.note = "later"}}, JoinStyle::plain);
              }),
              "{}");
}

TEST(Claude, AnswersMayBeStringsOrLists) {
    Faults faults;
    const Answers answers = read_answers(questions(),
                                         document(R"({"Which features?":["Offline, sync","mine"],)"
                                                  R"("Which database should we use?":"SQLite"})"),
                                         JoinStyle::plain, {}, faults);
    EXPECT_TRUE(faults.empty());
    EXPECT_THAT(answers, ElementsAre(Answer{.selected = {"SQLite"}},
                                     Answer{.selected = {"Offline, sync"}, .other = "mine"}));
}

TEST(Claude, AWrongAnswerNamesItsEntry) {
    Faults faults;
    const json::Path root;
    read_answers(questions(),
                 document(R"({"Features":"Dark mode","Which features?":7,)"
                          R"("Which database should we use?":["SQLite","MySQL"]})"),
                 JoinStyle::plain, root / "answers", faults);
    EXPECT_THAT(
        faults.list(),
        ElementsAre(
            Fault{"/answers/Features", "\"Features\" is not the text of a question of this ask"},
            Fault{"/answers/Which features?",
                  "expected a string or a list of strings, not a number"},
            Fault{"/answers/Which database should we use?/1",
                  "this question takes one choice, and this is another; keep one"}));
    Faults more;
    read_answers(questions(), document("[]"), JoinStyle::plain, {}, more);
    EXPECT_THAT(more.list(),
                ElementsAre(Fault{
                    "", "expected an object with the question texts as its keys, not a list"}));
}

TEST(Claude, AFaultNamesAKeyAsItWasSent) {
    Faults faults;
    const json::Path root;
    read_answers(questions(), document(R"({"A question\r\nof no ask that we know of":"Yes"})"),
                 JoinStyle::plain, root / "answers", faults);
    EXPECT_THAT(
        faults.list(),
        ElementsAre(Field(&Fault::path, "/answers/A question\r\nof no ask that we know of")));
}

TEST(Claude, UpdatedInputKeepsEveryFieldAndAddsAnswersAndAnnotations) {
    json::Value input = document(kInput);
    input.as_object()["metadata"] = document(R"({"source":"x"})");
    EXPECT_EQ(updated_input(input, questions(), kAnswers),
              std::string(kInput.substr(0, kInput.size() - 1)) +
                  R"(,"metadata":{"source":"x"},"answers":{"Which database should we use?":)"
                  R"("PostgreSQL 16","Which features?":"Dark mode, \"Offline, sync\", )"
                  R"(more"},"annotations":{"Which database should we use?":{"preview":"psql>",)"
                  R"("notes":"as before"}}})");
}

TEST(Claude, UpdatedInputIsKeyedByTheTextThatWasSent) {
    const json::Value input =
        document(R"({"questions":[{"question":"One\r\ntwo?","options":["A","B"]}]})");
    const auto read = read_input(input);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->at(0).text, "One\ntwo?");
    EXPECT_EQ(updated_input(input, *read, {{.selected = {"A"}}}),
              R"({"questions":[{"question":"One\r\ntwo?","options":["A","B"]}],)"
              R"("answers":{"One\r\ntwo?":"A"}})");
}

TEST(Claude, UpdatedInputOfAnInputThatWasNoObjectIsOne) {
    const json::Value input = document(json::quoted(kInput));
    EXPECT_EQ(updated_input(input, questions(), {}),
              std::string(kInput.substr(0, kInput.size() - 1)) + R"(,"answers":{}})");
}

TEST(Claude, TheToolsOutputListsSelectedOptions) {
    EXPECT_EQ(tool_output(questions(), {{.selected = {"SQLite"}}, {.other = "none"}}),
              R"({"answers":[{"question":"Which database should we use?",)"
              R"("selectedOptions":["SQLite"]},{"question":"Which features?",)"
              R"("selectedOptions":[],"customInput":"none"}]})");
}

TEST(Claude, TheToolsOutputMayNameItsAddedOther) {
    const auto answers = read_tool_output(
        questions(), document(R"({"answers":[{"question":"Which database should we use?",)"
                              R"("selectedOptions":["Other"],"customInput":"MySQL"}]})"));
    ASSERT_TRUE(answers.has_value());
    EXPECT_THAT(*answers, ElementsAre(Answer{.other = "MySQL"}, Answer{}));
}

TEST(Claude, AWrongToolOutputSaysWhere) {
    const auto refused = read_tool_output(
        questions(), document(R"({"answers":[{"question":"Q?","selectedOptions":[]},7,)"
                              R"({"question":"Which features?","selectedOptions":[1]}]})"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        ElementsAre(
            Fault{"/answers/0/question", "\"Q?\" is not the text of a question of this ask"},
            Fault{"/answers/1", "expected an answer: an object with \"question\", not a number"},
            Fault{"/answers/2/selectedOptions/0", "expected a label as a string, not a number"}));
    EXPECT_EQ(read_tool_output(questions(), document("{}")).error().faults.at(0),
              (Fault{"/answers", "\"answers\" is missing"}));
}

RC_GTEST_PROP(Claude, QuestionsReadBack, ()) {
    const auto asked = *arbitrary::questions();
    const std::string text = written([&](json::Writer& out) { write_questions(out, asked); });
    const auto read = read_input(document(text), kOpenProfile);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == asked);
}

RC_GTEST_PROP(Claude, ToolOutputsReadBack, ()) {
    const auto asked = *arbitrary::questions();
    const Answers answers = *arbitrary::answers(asked);
    const auto read = read_tool_output(asked, document(tool_output(asked, answers)));
    RC_ASSERT(read.has_value());
    const auto checked = check_answers(asked, *read, {.completeness = Completeness::may_be_empty});
    RC_ASSERT(checked.has_value());
    RC_ASSERT(*checked == answers);
}

RC_GTEST_PROP(Claude, AnswersAndAnnotationsReadBack, ()) {
    const auto asked = *arbitrary::questions();
    Answers answers = *arbitrary::answers(asked);
    for (std::size_t i = 0; i < asked.size(); ++i)
        if (asked[i].multi_select) answers[i].other.reset();
    const json::Value value = document(updated_input(json::Value(), asked, answers));
    const json::Object& fields = value.get_object();
    Faults faults;
    Answers read = read_answers(asked, fields.at("answers"), JoinStyle::claude, {}, faults);
    RC_ASSERT(faults.empty());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const json::Value& note =
            json::field(json::field(json::field(value, "annotations"), asked[i].text), "notes");
        if (const auto* text = note.if_string()) read[i].note = std::string(*text);
    }
    RC_ASSERT(read == answers);
}

}  // namespace
}  // namespace parley::claude
