// SPDX-License-Identifier: Apache-2.0
// What an asker wants of an answer: required, min, max, default. Read, checked, kept to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/answers.h"
#include "core/display.h"
#include "core/printers_test.h"
#include "core/questions.h"
#include "core/value_json.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Question> read(std::string_view text) {
    const auto document = json::parse(text);
    EXPECT_TRUE(document) << text;
    auto questions = read_questions(*document, kOpenProfile);
    EXPECT_TRUE(questions) << (questions ? "" : questions.error().message);
    return questions ? *std::move(questions) : std::vector<Question>();
}

std::vector<std::string> places_of_faults(std::string_view text) {
    std::vector<std::string> places;
    const auto questions = read_questions(*json::parse(text), kOpenProfile);
    EXPECT_FALSE(questions) << text;
    if (!questions)
        for (const Fault& fault : questions.error().faults) places.push_back(fault.path);
    return places;
}

Question regions() {
    return {.text = "Which regions?",
            .header = "Regions",
            .options = {{"eu", ""}, {"us", ""}, {"asia", ""}},
            .multi_select = true};
}

// Where the first fault is; empty if there is none.
std::string fault_place(const Question& question, Answer answer, Completeness completeness) {
    const auto checked =
        check_answers({question}, {std::move(answer)}, {.completeness = completeness});
    return checked ? "" : checked.error().faults.front().path;
}

constexpr std::array kEveryRule = {Completeness::whole, Completeness::partial,
                                   Completeness::may_be_empty};

TEST(Wishes, AreReadInTheirFormsAndWrittenInOne) {
    const auto questions = read(R"([
        {"question":"Which?","options":["eu","us"],"multi_select":true,
         "required":true,"min":1,"max":2,"default":["us","mars"]},
        {"question":"Name?","default":"parley","required":false},
        {"question":"Sure?","options":["Yes","No"],"default":"No","min":null,"default":"No"}])");
    ASSERT_EQ(questions.size(), 3U);
    EXPECT_EQ(questions[0].required, true);
    EXPECT_EQ(questions[0].min, 1);
    EXPECT_EQ(questions[0].max, 2);
    EXPECT_EQ(*questions[0].preset, (Answer{.selected = {"us"}, .other = "mars"}));
    EXPECT_EQ(*questions[1].preset, (Answer{.other = "parley"}));
    EXPECT_EQ(*questions[2].preset, (Answer{.selected = {"No"}}));
    std::string text;
    json::Writer out(text);
    write_questions(out, questions, Fields::changed);
    EXPECT_THAT(text, HasSubstr(R"("required":true,"min":1,"max":2,"default":["us","mars"])"));
    Faults faults;
    EXPECT_EQ(read_written_questions(*json::parse(text), {}, faults), questions);
    EXPECT_TRUE(faults.empty());
}

TEST(Wishes, ThatNobodyCouldMeetAreRefusedByTheirPlace) {
    EXPECT_THAT(
        places_of_faults(R"([{"question":"?","options":["a"],"multi_select":true,"min":3}])"),
        ElementsAre("/0/min"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","options":["a","b"],"min":2}])"),
                ElementsAre("/0/min"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","options":["a","b"],"max":2}])"),
                ElementsAre("/0/max"));
    EXPECT_THAT(
        places_of_faults(R"([{"question":"?","options":["a"],"multi_select":true,"max":0}])"),
        ElementsAre("/0/max"));
    EXPECT_THAT(
        places_of_faults(
            R"([{"question":"?","options":["a","b"],"multi_select":true,"min":2,"max":1}])"),
        ElementsAre("/0/max"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","min":-1}])"), ElementsAre("/0/min"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","required":"yes"}])"),
                ElementsAre("/0/required"));
}

TEST(Wishes, ADefaultIsWhatAPersonCouldMark) {
    EXPECT_THAT(
        places_of_faults(R"([{"question":"?","options":["a"],"custom":false,"default":"b"}])"),
        ElementsAre("/0/default/0"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","options":["a","b"],"default":["a","b"]}])"),
                ElementsAre("/0/default/1"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","default":7}])"), ElementsAre("/0/default"));
    EXPECT_THAT(places_of_faults(R"([{"question":"?","options":["a","b","c"],"multi_select":true,
                                      "max":1,"default":["a","b"]}])"),
                ElementsAre("/0/default"));
    // Fewer than are wanted: the person adds the others.
    read(R"([{"question":"?","options":["a","b","c"],"multi_select":true,"min":2,
              "default":["a"]}])");
}

TEST(Wishes, WhatIsRequiredIsNeverEmptyAndWhatIsNotMayAlwaysBe) {
    Question question = regions();
    for (const Completeness rule : kEveryRule) {
        question.required = true;
        EXPECT_EQ(fault_place(question, {}, rule), "/answers/0");
        EXPECT_EQ(fault_place(question, {.note = "later"}, rule), "/answers/0");
        question.required = false;
        EXPECT_EQ(fault_place(question, {}, rule), "");
    }
    question.required.reset();
    EXPECT_EQ(fault_place(question, {}, Completeness::whole), "/answers/0");
    EXPECT_EQ(fault_place(question, {}, Completeness::partial), "/answers");
    EXPECT_EQ(fault_place(question, {}, Completeness::may_be_empty), "");
}

TEST(Wishes, TheNumberOfChoicesCountsWhereAnyIsMade) {
    Question question = regions();
    question.min = 2;
    question.max = 2;
    for (const Completeness rule : kEveryRule) {
        EXPECT_EQ(fault_place(question, {.selected = {"eu"}}, rule), "/answers/0/selected");
        EXPECT_EQ(fault_place(question, {.selected = {"eu", "us", "asia"}}, rule),
                  "/answers/0/selected");
        EXPECT_EQ(fault_place(question, {.selected = {"eu", "us"}}, rule), "");
        EXPECT_EQ(fault_place(question, {.selected = {"eu"}, .other = "mars"}, rule), "");
    }
    EXPECT_EQ(fault_place(question, {}, Completeness::may_be_empty), "");
    EXPECT_EQ(unmet_wish(question, {.selected = {"eu"}}),
              "at least 2 choices, and 1 is chosen; choose more");
}

TEST(Wishes, ADefaultIsNobodysAnswer) {
    Question question = regions();
    question.preset = Answer{.selected = {"eu"}};
    EXPECT_EQ(fault_place(question, {}, Completeness::whole), "/answers/0");
    const auto empty =
        check_answers({question}, {{}}, {.completeness = Completeness::may_be_empty});
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->front().is_empty());
}

TEST(Wishes, AreToldInWords) {
    Question question = regions();
    EXPECT_EQ(wish_words(question), "");
    question.min = 2;
    EXPECT_EQ(wish_words(question), "choose at least 2");
    question.max = 3;
    EXPECT_EQ(wish_words(question), "choose 2 to 3");
    question.min = 3;
    question.required = false;
    EXPECT_EQ(wish_words(question), "choose 3; may be left empty");
    question.min.reset();
    EXPECT_EQ(wish_words(question), "choose at most 3; may be left empty");
}

TEST(Wishes, ADocumentSaysWhatAFrontIsNotToWorkOut) {
    Question question = regions();
    question.options = {{"eu (Recommended)", ""}, {"us (Recommended)", ""}, {"Other", ""}};
    std::string text;
    json::Writer out(text);
    write_questions(out, {question}, Fields::all);
    const auto document = json::parse(text);
    const std::string options =
        R"x([{"label":"eu (Recommended)","description":"","recommended":true,"shown":"eu"},)x"
        R"x({"label":"us (Recommended)","description":""},)x"
        R"x({"label":"Other","description":"","opens_text":true}])x";
    EXPECT_EQ(json::serialize(document->at_pointer("/0/options")), options);
}

}  // namespace
}  // namespace parley
