// SPDX-License-Identifier: Apache-2.0
#include "core/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/limits.h"
#include "core/printers_test.h"
#include "core/profile.h"

namespace parley {
namespace {

using testing::ElementsAre;

Question question(std::string text, std::vector<std::string> labels) {
    Question made = {.text = std::move(text), .header = "H", .options = {}};
    for (std::string& label : labels)
        made.options.push_back({.label = std::move(label), .description = {}});
    return made;
}

const std::vector<Question> kQuestions = [] {
    std::vector<Question> questions = {question("Which database?", {"PostgreSQL", "SQLite"}),
                                       question("Which features?", {"Dark mode", "Offline"}),
                                       question("Name?", {})};
    questions[1].multi_select = true;
    return questions;
}();

std::vector<Fault> faults_of_answers(const std::vector<Question>& questions, Answers answers,
                                     Completeness completeness = Completeness::whole) {
    const auto checked =
        check_answers(questions, std::move(answers), {.completeness = completeness});
    EXPECT_FALSE(checked.has_value());
    return checked ? std::vector<Fault>() : checked.error().faults;
}

Answers recorded(const std::vector<Question>& questions, Answers answers,
                 Completeness completeness = Completeness::whole) {
    auto checked = check_answers(questions, std::move(answers), {.completeness = completeness});
    EXPECT_TRUE(checked.has_value()) << testing::PrintToString(checked.error());
    return checked.value_or(Answers());
}

TEST(CheckAnswers, TakesACompleteAnswerInQuestionOrder) {
    const Answers answers = {
        {.selected = {"SQLite"}}, {.selected = {"Dark mode", "Offline"}}, {.other = "none"}};
    EXPECT_EQ(recorded(kQuestions, answers), answers);
}

TEST(CheckAnswers, LabelsAreRecordedInTheOrderOfTheOptionsAndOnce) {
    EXPECT_THAT(recorded({kQuestions[1]}, {{.selected = {"Offline", "Dark mode", "Offline"}}}),
                ElementsAre(Answer{.selected = {"Dark mode", "Offline"}}));
    EXPECT_THAT(recorded({kQuestions[0]}, {{.selected = {"SQLite", "SQLite"}}}),
                ElementsAre(Answer{.selected = {"SQLite"}}));
}

TEST(CheckAnswers, FreeTextThatEqualsALabelIsThatLabel) {
    EXPECT_THAT(recorded({kQuestions[0]}, {{.other = "SQLite"}}),
                ElementsAre(Answer{.selected = {"SQLite"}}));
    EXPECT_THAT(recorded({kQuestions[1]}, {{.selected = {"Offline"}, .other = "Dark mode"}}),
                ElementsAre(Answer{.selected = {"Dark mode", "Offline"}}));
}

TEST(CheckAnswers, TheAgentsOwnOtherOnlyOpensTheTextField) {
    const std::vector<Question> single = {question("Colour?", {"Red", "Other"})};
    EXPECT_THAT(recorded(single, {{.selected = {"Other"}, .other = "Purple"}}),
                ElementsAre(Answer{.other = "Purple"}));
    EXPECT_THAT(recorded(single, {{.selected = {"Other"}}}),
                ElementsAre(Answer{.selected = {"Other"}}));
    std::vector<Question> multi = single;
    multi[0].multi_select = true;
    EXPECT_THAT(recorded(multi, {{.selected = {"Red", "Other"}, .other = "Purple"}}),
                ElementsAre(Answer{.selected = {"Red"}, .other = "Purple"}));
}

TEST(CheckAnswers, BlankTextIsNoText) {
    EXPECT_THAT(recorded({kQuestions[0]}, {{.selected = {"SQLite"}, .other = " \n", .note = ""}}),
                ElementsAre(Answer{.selected = {"SQLite"}}));
}

TEST(CheckAnswers, LineBreaksOfFreeTextBecomeNewlines) {
    EXPECT_THAT(recorded({kQuestions[2]}, {{.other = "a\r\nb\rc", .note = "d\r\ne"}}),
                ElementsAre(Answer{.other = "a\nb\nc", .note = "d\ne"}));
}

TEST(CheckAnswers, ANoteGoesWithAnyAnswer) {
    EXPECT_THAT(recorded({kQuestions[0]}, {{.selected = {"SQLite"}, .note = "for now"}}),
                ElementsAre(Answer{.selected = {"SQLite"}, .note = "for now"}));
}

TEST(CheckAnswers, NamesALabelThatIsNotOffered) {
    EXPECT_THAT(faults_of_answers({kQuestions[0]}, {{.selected = {"MySQL"}}}),
                ElementsAre(Fault{"/answers/0/selected/0",
                                  "\"MySQL\" is not one of the options; choose \"PostgreSQL\" or "
                                  "\"SQLite\", or give \"other\""}));
    EXPECT_THAT(faults_of_answers({kQuestions[2]}, {{.selected = {"Ada"}}}),
                ElementsAre(Fault{"/answers/0/selected/0",
                                  "\"Ada\" is not one of the options; give a text as \"other\""}));
}

TEST(CheckAnswers, AMessageShowsForeignTextEscapedAndCut) {
    const auto faults =
        faults_of_answers({kQuestions[0]}, {{.selected = {"\x1b[2J" + std::string(90, 'x')}}});
    EXPECT_EQ(faults.at(0).detail,
              "\"\\x1b[2J" + std::string(52, 'x') +
                  "…\" is not one of the options; choose \"PostgreSQL\" or \"SQLite\", or give "
                  "\"other\"");
}

TEST(CheckAnswers, LongListsOfOptionsAreNotAllNamed) {
    std::vector<std::string> labels;
    for (int i = 0; i < 20; ++i) labels.push_back(fmt::format("L{}", i));
    EXPECT_THAT(faults_of_answers({question("Q?", labels)}, {Answer{}}),
                ElementsAre(Fault{"/answers/0",
                                  "question 1 is not answered; choose \"L0\", \"L1\", \"L2\", "
                                  "\"L3\", \"L4\", \"L5\", \"L6\", \"L7\" or one of 12 more, or "
                                  "give \"other\""}));
}

// What cannot be right is not held against every option: one fault, however many there are.
TEST(CheckAnswers, MoreLabelsThanThereCanBeAreOneFault) {
    Question question;
    question.multi_select = true;
    for (std::size_t i = 0; i < kOpenProfile.options_max; ++i)
        question.options.emplace_back().label = std::to_string(i);
    std::vector<std::string> all;
    for (const Option& option : question.options) all.push_back(option.label);
    EXPECT_TRUE(check_answers({question}, {{.selected = all}}, {}, json::Path()));
    all.emplace_back("0");
    const auto refused = check_answers({question}, {{.selected = all}}, {}, json::Path());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().faults, (std::vector<Fault>{{"/answers/0/selected",
                                                           "201 labels, but at most 200 are "
                                                           "allowed"}}));
    EXPECT_TRUE(sort_texts(question, all, json::Path())) << "one may be a text of one's own";
    all.emplace_back("mine");
    EXPECT_FALSE(sort_texts(question, all, json::Path()));
}

TEST(CheckAnswers, ASingleChoiceTakesOne) {
    EXPECT_THAT(
        faults_of_answers({kQuestions[0]}, {{.selected = {"PostgreSQL", "SQLite"}}}),
        ElementsAre(Fault{"/answers/0/selected",
                          "this question takes one choice, but 2 were selected; keep one"}));
    EXPECT_THAT(faults_of_answers({kQuestions[0]}, {{.selected = {"SQLite"}, .other = "MySQL"}}),
                ElementsAre(Fault{"/answers/0/other",
                                  "this question takes one choice: either an option or a text of "
                                  "your own; put a remark on the option into \"note\""}));
}

TEST(CheckAnswers, FreeTextIsRefusedWhereTheAskerSwitchedItOff) {
    std::vector<Question> closed = {kQuestions[0]};
    closed[0].custom = false;
    EXPECT_THAT(faults_of_answers(closed, {{.other = "MySQL"}}),
                ElementsAre(Fault{"/answers/0/other",
                                  "this question takes no text of your own; choose \"PostgreSQL\" "
                                  "or \"SQLite\""}));
    EXPECT_THAT(recorded(closed, {{.other = "SQLite"}}),
                ElementsAre(Answer{.selected = {"SQLite"}}));
}

TEST(CheckAnswers, AWholeAnswerAnswersEveryQuestion) {
    EXPECT_THAT(
        faults_of_answers(kQuestions, {{.selected = {"SQLite"}}, {}}),
        ElementsAre(Fault{"/answers/1",
                          "question 2 is not answered; choose \"Dark mode\" or "
                          "\"Offline\", or give \"other\""},
                    Fault{"/answers/2", "question 3 is not answered; give a text as \"other\""}));
    // A remark is not an answer.
    EXPECT_EQ(faults_of_answers({kQuestions[2]}, {{.note = "later"}}).at(0).path, "/answers/0");
}

TEST(CheckAnswers, APartialAnswerAnswersSomething) {
    EXPECT_THAT(recorded(kQuestions, {{}, {.selected = {"Offline"}}}, Completeness::partial),
                ElementsAre(Answer{}, Answer{.selected = {"Offline"}}, Answer{}));
    EXPECT_THAT(recorded({kQuestions[2]}, {{.note = "later"}}, Completeness::partial),
                ElementsAre(Answer{.note = "later"}));
    EXPECT_THAT(
        faults_of_answers(kQuestions, {{}, {.other = " "}}, Completeness::partial),
        ElementsAre(Fault{"/answers", "nothing is answered; answer at least one question"}));
}

TEST(CheckAnswers, NothingAtAllIsASubmissionWhereTheDoorSaysSo) {
    EXPECT_THAT(recorded(kQuestions, {}, Completeness::may_be_empty),
                ElementsAre(Answer{}, Answer{}, Answer{}));
}

TEST(CheckAnswers, MoreAnswersThanQuestionsAreRefused) {
    EXPECT_THAT(faults_of_answers({kQuestions[2]}, {{.other = "a"}, {.other = "b"}}),
                ElementsAre(Fault{"/answers",
                                  "2 answers for 1 question; give one for each "
                                  "question, in their order"}));
}

TEST(CheckAnswers, TextsHaveLimits) {
    const std::string longest(limits::kAnswerTextBytes, 'x');
    EXPECT_EQ(recorded({kQuestions[2]}, {{.other = longest}}).size(), 1U);
    EXPECT_THAT(faults_of_answers({kQuestions[2]}, {{.other = longest + "x"}}),
                ElementsAre(Fault{"/answers/0/other",
                                  "the text has 1048577 bytes, but at most 1048576 are allowed; "
                                  "shorten it"}));
    EXPECT_EQ(
        faults_of_answers({kQuestions[2]}, {{.other = "a", .note = longest + "x"}}).at(0).path,
        "/answers/0/note");
    const std::vector<Question> many = {question("A?", {}), question("B?", {}), question("C?", {}),
                                        question("D?", {}), question("E?", {})};
    const Answer big = {.other = longest};
    EXPECT_THAT(faults_of_answers(many, {big, big, big, big, big}),
                ElementsAre(Fault{"/answers",
                                  "the answers have 5242880 bytes of text, but at most 4194304 are "
                                  "allowed; shorten them"}));
}

TEST(CheckAnswers, RefusesBadUtf8) {
    EXPECT_THAT(
        faults_of_answers({kQuestions[2]}, {{.other = "a\xff", .note = "\xc0"}}),
        ElementsAre(
            Fault{"/answers/0/other", "the text is not valid UTF-8 at byte 1; send it as UTF-8"},
            Fault{"/answers/0/note", "the note is not valid UTF-8 at byte 0; send it as UTF-8"}));
}

TEST(CheckAnswers, FaultsStandBelowThePathThatWasGiven) {
    const json::Path root;
    const json::Path at = root / "data";
    const auto refused = check_answers({kQuestions[0]}, {{.selected = {"x"}}}, {}, at);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.at(0).path, "/data/answers/0/selected/0");
}

RC_GTEST_PROP(CheckAnswers, CheckingTwiceChangesNothing, ()) {
    const auto questions = *arbitrary::questions();
    const Answers answers = *arbitrary::answers(questions);
    const auto again =
        check_answers(questions, answers, {.completeness = Completeness::may_be_empty});
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == answers);
}

TEST(CheckDraft, TakesWhatIsUnfinished) {
    const Answers draft = {{.selected = {"PostgreSQL", "SQLite"}, .other = " "}, {}};
    const auto checked = check_draft(kQuestions, draft);
    ASSERT_TRUE(checked.has_value());
    EXPECT_EQ(*checked, draft);
}

TEST(CheckDraft, HasLimitsAndWantsUtf8) {
    const auto fault_at = [](Answers draft) {
        const auto checked = check_draft(kQuestions, std::move(draft));
        return checked ? "" : checked.error().faults.at(0).path;
    };
    EXPECT_EQ(fault_at(Answers(4)), "/answers");
    EXPECT_EQ(fault_at({{.other = "\xff"}}), "/answers/0/other");
    EXPECT_EQ(fault_at({{.note = std::string(limits::kAnswerTextBytes + 1, 'x')}}),
              "/answers/0/note");
    EXPECT_EQ(fault_at({{.selected = {std::string(limits::kTextBytes + 1, 'x')}}}),
              "/answers/0/selected/0");
    EXPECT_EQ(fault_at({{.selected = std::vector<std::string>(201, "x")}}), "/answers/0/selected");
}

TEST(SortTexts, TellsLabelsFromFreeText) {
    const auto sorted = sort_texts(kQuestions[1], {"Offline", "my own", "Dark mode", " "});
    ASSERT_TRUE(sorted.has_value());
    EXPECT_EQ(*sorted, (Answer{.selected = {"Offline", "Dark mode"}, .other = "my own"}));
    EXPECT_EQ(sort_texts(kQuestions[0], {"MySQL"}), (Answer{.other = "MySQL"}));
    EXPECT_EQ(sort_texts(kQuestions[0], {""}), Answer{});
}

TEST(SortTexts, NamesTheTextThatIsTooMuch) {
    const auto fault_of = [](const Question& asked, std::vector<std::string> texts) {
        const auto sorted = sort_texts(asked, std::move(texts));
        return sorted ? Fault() : sorted.error().faults.at(0);
    };
    EXPECT_EQ(fault_of(kQuestions[0], {"SQLite", "PostgreSQL"}),
              (Fault{"/1", "this question takes one choice, and this is another; keep one"}));
    EXPECT_EQ(fault_of(kQuestions[1], {"one", "two"}),
              (Fault{"/1",
                     "\"two\" is not one of the options, and there is a text of your own "
                     "before it; give one text of your own"}));
    Question closed = kQuestions[1];
    closed.custom = false;
    EXPECT_EQ(fault_of(closed, {"one"}),
              (Fault{"/0",
                     "\"one\" is not one of the options; choose \"Dark mode\" or "
                     "\"Offline\""}));
}

}  // namespace
}  // namespace parley
