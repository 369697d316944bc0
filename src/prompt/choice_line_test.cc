// SPDX-License-Identifier: Apache-2.0
#include "prompt/choice_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/properties_test.h"
#include "core/answers.h"
#include "prompt/choice_rows.h"

namespace parley {
namespace {

using Labels = std::vector<std::string>;

Question question_of(const Labels& labels) {
    Question question{.text = "Which?", .header = "Pick", .options = {}};
    for (const std::string& label : labels) question.options.push_back({label, ""});
    return question;
}

Question multi_of(const Labels& labels) {
    Question question = question_of(labels);
    question.multi_select = true;
    return question;
}

Question without_text(Question question) {
    question.custom = false;
    return question;
}

Labels chosen(const Question& question, std::string_view line) {
    const ChoiceLine read = read_choice_line(question, line);
    EXPECT_EQ(read.fault, "") << line;
    EXPECT_EQ(read.doubt, "") << line;
    EXPECT_FALSE(read.opens_text) << line;
    return read.answer.selected;
}

TEST(ChoiceLine, ANumberChoosesItsRow) {
    const Question question = question_of({"Tea", "Coffee"});
    EXPECT_EQ(chosen(question, "1"), Labels{"Tea"});
    EXPECT_EQ(chosen(question, " 2 "), Labels{"Coffee"});
    EXPECT_EQ(chosen(question, "2)"), Labels{"Coffee"});
    EXPECT_EQ(chosen(question, "2."), Labels{"Coffee"});
}

TEST(ChoiceLine, ALabelChoosesItsRowWhateverItsCase) {
    const Question question = question_of({"PostgreSQL (Recommended)", "SQLite"});
    EXPECT_EQ(chosen(question, "sqlite"), Labels{"SQLite"});
    EXPECT_EQ(chosen(question, "postgresql"), Labels{"PostgreSQL (Recommended)"});
    EXPECT_EQ(chosen(question, "postgresql (recommended)"), Labels{"PostgreSQL (Recommended)"});
}

TEST(ChoiceLine, LabelsThatDifferInCaseAreToldApartOrAskedFor) {
    const Question question = question_of({"make", "Make", "cmake"});
    EXPECT_EQ(chosen(question, "Make"), Labels{"Make"});
    EXPECT_EQ(chosen(question, "make"), Labels{"make"});
    EXPECT_EQ(read_choice_line(question, "MAKE").fault,
              "\"MAKE\" could be more than one choice. Type a number from 1 to 4.");
}

TEST(ChoiceLine, ANumberOutOfRangeIsNoAnswer) {
    const Question question = question_of({"Tea", "Coffee"});
    for (const std::string_view line : {"0", "4", "99999999999999999999"}) {
        const ChoiceLine read = read_choice_line(question, line);
        EXPECT_TRUE(read.answer.is_empty() || !read.doubt.empty()) << line;
    }
    EXPECT_EQ(read_choice_line(question, "4").fault,
              "There is no choice 4. Type a number from 1 to 3.");
    EXPECT_EQ(read_choice_line(without_text(question_of({"Tea"})), "2").fault,
              "There is no choice 2. Type 1.");
}

// Options such as 8, 16, 32: the label is what a person types.
TEST(ChoiceLine, ANumberOutOfRangeMayBeALabel) {
    EXPECT_EQ(chosen(question_of({"8", "16"}), "16"), Labels{"16"});
    EXPECT_EQ(chosen(multi_of({"8", "16", "32"}), "16, 32"), (Labels{"16", "32"}));
}

TEST(ChoiceLine, ANumberThatIsAlsoAnotherLabelIsADoubt) {
    const ChoiceLine read = read_choice_line(question_of({"2", "1"}), "1");
    EXPECT_EQ(read.doubt, "Choice 1 is \"2\". Take it? (For \"1\", type 2.)");
    EXPECT_EQ(read.answer.selected, Labels{"2"});
    EXPECT_EQ(chosen(question_of({"1", "2"}), "1"), Labels{"1"});
}

TEST(ChoiceLine, OneChoiceMeansOne) {
    const Question question = question_of({"Tea", "Coffee"});
    EXPECT_EQ(read_choice_line(question, "1,2").fault,
              "This question takes one choice. Type one number.");
    EXPECT_EQ(read_choice_line(question, "1 3").fault,
              "This question takes one choice. Type one number.");
    EXPECT_EQ(chosen(question, "1 1"), Labels{"Tea"});
}

TEST(ChoiceLine, SeveralChoicesByNumberAndLabel) {
    const Question question = multi_of({"Dark mode", "Notifications", "Offline"});
    EXPECT_EQ(chosen(question, "1,3"), (Labels{"Dark mode", "Offline"}));
    EXPECT_EQ(chosen(question, "1 3"), (Labels{"Dark mode", "Offline"}));
    EXPECT_EQ(chosen(question, "3, 1"), (Labels{"Offline", "Dark mode"}));
    EXPECT_EQ(chosen(question, "dark mode, offline"), (Labels{"Dark mode", "Offline"}));
    EXPECT_EQ(chosen(question, "2, offline"), (Labels{"Notifications", "Offline"}));
    EXPECT_EQ(chosen(question, "2,2,notifications"), Labels{"Notifications"});
}

TEST(ChoiceLine, ALabelWithACommaStaysWhole) {
    const Question question = multi_of({"Red, green", "Red", "Blue"});
    EXPECT_EQ(chosen(question, "red, green, blue"), (Labels{"Red, green", "Blue"}));
    EXPECT_EQ(chosen(question, "Blue, Red"), (Labels{"Blue", "Red"}));
    EXPECT_EQ(chosen(question_of({"Yes, now", "No"}), "yes, now"), Labels{"Yes, now"});
}

TEST(ChoiceLine, TheOtherRowOpensTheText) {
    const Question question = multi_of({"Dark mode", "Offline"});
    EXPECT_EQ(read_choice_line(question, "3"), (ChoiceLine{.opens_text = true}));
    EXPECT_EQ(read_choice_line(question, "other"), (ChoiceLine{.opens_text = true}));
    const ChoiceLine both = read_choice_line(question, "1,3");
    EXPECT_TRUE(both.opens_text);
    EXPECT_EQ(both.answer.selected, Labels{"Dark mode"});
}

TEST(ChoiceLine, TheAgentsOwnOtherOpensTheTextUnlessTextIsNotAllowed) {
    const Question question = question_of({"Tea", "Other"});
    EXPECT_EQ(choice_rows(question).size(), 2U);
    EXPECT_TRUE(read_choice_line(question, "2").opens_text);
    EXPECT_EQ(chosen(without_text(question), "2"), Labels{"Other"});
}

TEST(ChoiceLine, OwnWordsAreADoubtFirst) {
    const ChoiceLine read = read_choice_line(question_of({"Tea", "Coffee"}), "a glass of water");
    EXPECT_EQ(read.doubt, "Answer in your own words: \"a glass of water\"?");
    EXPECT_EQ(read.answer, (Answer{.other = "a glass of water"}));
    const ChoiceLine mixed = read_choice_line(multi_of({"A", "B"}), "2, more, and more");
    EXPECT_EQ(mixed.doubt, "Take B and, in your own words, \"more, and more\"?");
    EXPECT_EQ(mixed.answer, (Answer{.selected = {"B"}, .other = "more, and more"}));
}

TEST(ChoiceLine, OwnWordsAreRefusedWhereTheyAreNotAllowed) {
    EXPECT_EQ(read_choice_line(without_text(question_of({"Tea", "Coffee"})), "water").fault,
              "\"water\" is not one of the choices. Type a number from 1 to 2, or a label.");
}

TEST(ChoiceLine, TextThatIsNotUtf8IsRefused) {
    const ChoiceLine read = read_choice_line(question_of({"Tea", "Coffee"}), "caf\xe9");
    EXPECT_EQ(read.fault,
              "That is not valid UTF-8 text. Choose by number, or type it again in a UTF-8 "
              "terminal.");
}

// Whatever is typed: an answer that is taken without a doubt is one that the rules accept.
RC_GTEST_PROP(ChoiceLine, WhatIsTakenAtOnceIsAValidAnswer, (const std::string& noise)) {
    Question question = question_of({"Tea", "2", "Red, green", "Other"});
    question.multi_select = *rc::gen::arbitrary<bool>();
    question.custom = *rc::gen::arbitrary<bool>();
    const std::string line =
        *rc::gen::element<std::string>("", "1,", "2 ", "tea, ", "red, green,", "9,") + noise + "1";
    const ChoiceLine read = read_choice_line(question, line);
    if (!read.fault.empty()) {
        RC_ASSERT(read.answer.is_empty() && !read.opens_text && read.doubt.empty());
        return;
    }
    if (read.opens_text) return;
    RC_ASSERT(check_answers({question}, {read.answer}, {}).has_value());
    RC_ASSERT(!read.answer.other || !read.doubt.empty());
}

}  // namespace
}  // namespace parley
