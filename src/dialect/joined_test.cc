// SPDX-License-Identifier: Apache-2.0
#include "dialect/joined.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/limits.h"
#include "core/printers_test.h"

namespace parley {
namespace {

using testing::ElementsAre;

Question several(std::vector<std::string> labels) {
    Question question = {.text = "Q?", .header = "H", .options = {}, .multi_select = true};
    for (std::string& label : labels)
        question.options.push_back({.label = std::move(label), .description = {}});
    return question;
}

Question single(std::vector<std::string> labels) {
    Question question = several(std::move(labels));
    question.multi_select = false;
    return question;
}

Answer read(const Question& question, std::string_view joined, JoinStyle style = JoinStyle::plain) {
    Faults faults;
    Answer answer = read_joined(question, joined, style, {}, faults);
    EXPECT_TRUE(faults.empty());
    return answer;
}

TEST(Joined, ASingleChoiceIsALabelOrFreeTextAndNeverSplit) {
    const Question question = single({"Red, green", "Red", "Blue"});
    EXPECT_EQ(read(question, "Red, green"), (Answer{.selected = {"Red, green"}}));
    EXPECT_EQ(read(question, "Red, Blue"), (Answer{.other = "Red, Blue"}));
    EXPECT_EQ(read(question, "\"Red, green\""), (Answer{.other = "\"Red, green\""}));
    EXPECT_EQ(read(question, " "), Answer{});
}

TEST(Joined, LabelsAreTakenAtSeparatorsOnly) {
    const Question question = several({"Dark mode", "Offline"});
    EXPECT_EQ(read(question, "Dark mode, Offline"), (Answer{.selected = {"Dark mode", "Offline"}}));
    EXPECT_EQ(read(question, "Dark mode,Offline"), (Answer{.other = "Dark mode,Offline"}));
    EXPECT_EQ(read(question, "Dark modes, Offline"), (Answer{.other = "Dark modes, Offline"}));
    EXPECT_EQ(read(question, "Offline mode"), (Answer{.other = "Offline mode"}));
    EXPECT_EQ(read(question, "Offline, "), (Answer{.other = "Offline, "}));
}

TEST(Joined, TheRestIsTheFreeTextWhole) {
    const Question question = several({"Dark mode", "Offline"});
    EXPECT_EQ(read(question, "Offline, sync, and more"),
              (Answer{.selected = {"Offline"}, .other = "sync, and more"}));
    EXPECT_EQ(read(question, "sync, Offline"), (Answer{.other = "sync, Offline"}));
}

TEST(Joined, ALabelWithASeparatorInItStaysWhole) {
    const Question question = several({"Red", "Red, green", "green", "Blue"});
    EXPECT_EQ(read(question, "Red, green, Blue"), (Answer{.selected = {"Red, green", "Blue"}}));
    EXPECT_EQ(read(question, "Red, green, yellow"),
              (Answer{.selected = {"Red, green"}, .other = "yellow"}));
}

TEST(Joined, AShorterLabelIsTakenWhereThatMakesTheWholeLabels) {
    const Question question = several({"A", "A, B", "B, C"});
    EXPECT_EQ(read(question, "A, B, C"), (Answer{.selected = {"A", "B, C"}}));
}

TEST(Joined, TowardsClaudeALabelThatCouldBeMisreadIsAJsonString) {
    const Question question = several({"Red, green", "Blue", "say \"hi\""});
    const Answer answer = {.selected = {"Red, green", "Blue", "say \"hi\""}, .other = "more, yet"};
    EXPECT_EQ(join_answer(question, answer, JoinStyle::claude),
              R"("Red, green", Blue, "say \"hi\"", more, yet)");
    EXPECT_EQ(join_answer(question, answer, JoinStyle::plain),
              "Red, green, Blue, say \"hi\", more, yet");
    EXPECT_EQ(join_answer(single({"Red, green"}), {.selected = {"Red, green"}}, JoinStyle::claude),
              "Red, green");
}

TEST(Joined, AQuotedLabelIsKnownAgainInBothStyles) {
    const Question question = several({"Red, green", "Blue"});
    for (const JoinStyle style : {JoinStyle::plain, JoinStyle::claude}) {
        EXPECT_EQ(read(question, R"("Red, green", Blue)", style),
                  (Answer{.selected = {"Red, green", "Blue"}}));
        EXPECT_EQ(read(question, "Red, green, Blue", style),
                  (Answer{.selected = {"Red, green", "Blue"}}));
    }
}

TEST(Joined, FreeTextWhereNoneIsAllowedIsAFault) {
    Question question = several({"A", "B"});
    question.custom = false;
    Faults faults;
    const json::Path root;
    read_joined(question, "A, C", JoinStyle::plain, root / "answers", faults);
    EXPECT_THAT(
        faults.list(),
        ElementsAre(Fault{"/answers", "\"C\" is not one of the options; choose \"A\" or \"B\""}));
}

TEST(Joined, AListGivesEachTextByItself) {
    Faults faults;
    const json::Value list = *json::parse(R"(["Red, green","my, own"])");
    EXPECT_EQ(read_joined_value(several({"Red, green", "Red"}), list, JoinStyle::plain, {}, faults),
              (Answer{.selected = {"Red, green"}, .other = "my, own"}));
    EXPECT_TRUE(faults.empty());
    read_joined_value(several({"A"}), *json::parse("[1]"), JoinStyle::plain, {}, faults);
    read_joined_value(several({"A"}), *json::parse("{}"), JoinStyle::plain, {}, faults);
    EXPECT_THAT(faults.list(),
                ElementsAre(Fault{"/0", "expected a string, not a number"},
                            Fault{"", "expected a string or a list of strings, not an object"}));
}

// Labels that are all alike, and a text that is nearly made of them: there are as many ways to cut
// it as there are labels, at every place.
TEST(Joined, ATextThatCouldBeCutInManyWaysIsGivenUp) {
    std::vector<std::string> labels = {"a"};
    while (labels.size() < 200) labels.push_back(labels.back() + ", a");
    std::string joined = "a";
    for (int i = 0; i < 15'000; ++i) joined += ", a";
    const Answer answer = read(several(labels), joined + " b");
    EXPECT_TRUE(answer.other && answer.other->ends_with("a b"));
}

TEST(Joined, ALongTextIsReadInOneGo) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 200; ++i)
        labels.push_back(std::string(1 + i % 7, 'a') + std::to_string(i));
    std::string text;
    while (text.size() < limits::kAnswerTextBytes) text += "a, ";
    EXPECT_EQ(read(several(labels), text).other, text);
    labels.emplace_back("a");
    EXPECT_EQ(read(several(labels), text).selected, std::vector<std::string>{"a"});
}

// Free text that begins with a label, or is one, cannot be told from it in a join.
bool begins_with_label(const Question& question, std::string_view text) {
    return std::ranges::any_of(question.options, [&](const Option& option) {
        return text.starts_with(option.label) || text.starts_with(json::quoted(option.label));
    });
}

RC_GTEST_PROP(Joined, TowardsClaudeLabelsAlwaysReadBack, ()) {
    const Question question = (*arbitrary::questions()).front();
    Answer answer = (*arbitrary::answers({question})).front();
    answer.note.reset();
    if (question.multi_select) answer.other.reset();
    RC_ASSERT(read(question, join_answer(question, answer, JoinStyle::claude), JoinStyle::claude) ==
              answer);
}

RC_GTEST_PROP(Joined, LabelsWithoutSeparatorsReadBackInEveryStyle, ()) {
    Question question = (*arbitrary::questions()).front();
    std::erase_if(question.options, [](const Option& option) {
        return option.label.find(", ") != std::string::npos || option.label.front() == '"';
    });
    Answer answer = (*arbitrary::answers({question})).front();
    answer.note.reset();
    // RC_PRE by itself would evaluate both sides of the ||.
    RC_PRE((!answer.other || !begins_with_label(question, *answer.other)));
    for (const JoinStyle style : {JoinStyle::plain, JoinStyle::claude}) {
        const std::string joined = join_answer(question, answer, style);
        Faults faults;
        RC_ASSERT(read_joined(question, joined, style, {}, faults) == answer);
    }
}

RC_GTEST_PROP(Joined, WhateverIsReadJoinsToTheSameTextAgain, ()) {
    Question question = (*arbitrary::questions()).front();
    question.custom = true;
    const std::string joined = *arbitrary::text();
    Faults faults;
    const Answer answer = read_joined(question, joined, JoinStyle::plain, {}, faults);
    RC_ASSERT(faults.empty());
    // Only a label that came in quotes comes back without them.
    if (joined.find('"') == std::string::npos)
        RC_ASSERT(join_answer(question, answer, JoinStyle::plain) == joined);
}

}  // namespace
}  // namespace parley
