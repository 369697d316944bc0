// SPDX-License-Identifier: Apache-2.0
// The kind of a question: read, written, and refused where it is none.
#include "core/question_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/printers_test.h"
#include "core/questions.h"
#include "core/value_json.h"

namespace parley {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string written(const std::vector<Question>& questions, Fields fields) {
    std::string text;
    json::Writer out(text);
    write_questions(out, questions, fields);
    return text;
}

TEST(QuestionKinds, AQuestionThatDoesNotSayIsAChoice) {
    for (const std::string_view text :
         {R"({"question":"Q?","options":["A"]})", R"({"question":"Q?","kind":"choice"})",
          R"({"question":"Q?","kind":null})"}) {
        const auto questions = read_questions(*json::parse(text), kOpenProfile);
        ASSERT_TRUE(questions) << text;
        EXPECT_EQ(questions->front().kind, QuestionKind::choice) << text;
    }
}

TEST(QuestionKinds, AnUnknownOneIsRefusedAndTheKnownOnesAreNamed) {
    const auto document = json::parse(R"({"questions":[{"question":"Q?","kind":"riddle"}]})");
    const auto questions = read_questions(*document, kOpenProfile);
    ASSERT_FALSE(questions);
    ASSERT_EQ(questions.error().faults.size(), 1U);
    EXPECT_EQ(questions.error().faults.front().path, "/questions/0/kind");
    EXPECT_EQ(questions.error().faults.front().detail, R"(expected "choice", not "riddle")");
}

TEST(QuestionKinds, EveryKindHasRulesAndIsReadAsItWasWritten) {
    for (const QuestionKind kind : kAll<QuestionKind>) {
        Question question{.text = "Q?", .header = "Q", .options = {}, .kind = kind};
        EXPECT_EQ(rules_of(question).kind, kind);
        for (const Fields fields : {Fields::all, Fields::changed}) {
            const auto document = json::parse(written({question}, fields));
            Faults faults;
            EXPECT_EQ(read_written_questions(*document, {}, faults), std::vector{question});
            EXPECT_TRUE(faults.empty());
        }
    }
}

TEST(QuestionKinds, TheWireAlwaysSaysItAndARecordOnlyWhatIsNoChoice) {
    const std::vector<Question> questions = {{.text = "Q?", .header = "Q", .options = {}}};
    EXPECT_THAT(written(questions, Fields::all), HasSubstr(R"("kind":"choice")"));
    EXPECT_THAT(written(questions, Fields::changed), Not(HasSubstr("kind")));
}

}  // namespace
}  // namespace parley
