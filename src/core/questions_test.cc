// SPDX-License-Identifier: Apache-2.0
#include "core/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/limits.h"
#include "core/printers_test.h"
#include "core/test_asks.h"
#include "core/value_json.h"
#include "text/limits.h"
#include "text/safe_text.h"
#include "text/utf8.h"

namespace parley {
namespace {

json::Value document(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(json::Value());
}

std::vector<Question> read_ok(std::string_view text, const Profile& profile = kOpenProfile) {
    auto questions = read_questions(document(text), profile);
    EXPECT_TRUE(questions.has_value()) << text << ": " << questions.error().message;
    return questions.value_or(std::vector<Question>());
}

std::vector<Fault> faults_of(std::string_view text, const Profile& profile = kOpenProfile) {
    auto questions = read_questions(document(text), profile);
    EXPECT_FALSE(questions.has_value()) << text;
    if (questions) return {};
    EXPECT_EQ(questions.error().code, ErrorCode::invalid);
    return questions.error().faults;
}

// One fault, at `path`, saying `detail`.
void expect_fault(std::string_view text, const Profile& profile, std::string path,
                  std::string detail) {
    EXPECT_THAT(faults_of(text, profile), testing::ElementsAre(Fault{path, detail})) << text;
}

const Question kDatabase = {.text = "Which database?",
                            .header = "DB",
                            .options = {{.label = "PostgreSQL", .description = "Yours"},
                                        {.label = "SQLite", .description = ""}}};

TEST(ReadQuestions, EveryFormThatAgentsSendGivesTheSameQuestion) {
    const std::string options =
        R"("header":"DB","options":[{"label":"PostgreSQL","description":"Yours"},"SQLite"])";
    const std::string question = R"({"question":"Which database?",)" + options + "}";
    const std::string full = R"({"question":"Which database?","header":"DB","multiSelect":false,)"
                             R"("options":[{"label":"PostgreSQL","description":"Yours",)"
                             R"("preview":null},{"label":"SQLite"}]})";
    const std::vector<std::string> forms = {
        R"({"questions":[)" + question + "]}",
        R"({"questions":[)" + full + "]}",
        "[" + question + "]",
        question,
        R"({"questions":)" + question + "}",
        R"({"questions":)" + json::quoted("[" + full + "]") + "}",
    };
    for (const std::string& form : forms) {
        const std::string once = json::quoted(form);
        for (const std::string& text : {form, once, json::quoted(once)})
            EXPECT_THAT(read_ok(text), testing::ElementsAre(kDatabase)) << text;
    }
}

TEST(ReadQuestions, MultiSelectHasThreeSpellings) {
    for (const std::string_view spelling : {"multiSelect", "multiple", "multi_select"}) {
        const auto questions =
            read_ok(fmt::format(R"({{"question":"Q?","options":["A","B"],"{}":true}})", spelling));
        EXPECT_TRUE(questions.at(0).multi_select) << spelling;
    }
    EXPECT_FALSE(read_ok(R"({"question":"Q?","options":["A","B"]})").at(0).multi_select);
    EXPECT_FALSE(read_ok(R"({"question":"Q?","multiple":null})").at(0).multi_select);
}

TEST(ReadQuestions, UnknownFieldsAreLeftAlone) {
    EXPECT_EQ(read_ok(R"({"question":"Q?","kind":"choice","answers":{"Q?":"A"},"options":["A"]})")
                  .at(0)
                  .options.size(),
              1U);
}

TEST(ReadQuestions, AMissingOrBlankHeaderIsMadeFromTheQuestion) {
    EXPECT_EQ(read_ok(R"({"question":"Which database?"})").at(0).header, "Which database");
    EXPECT_EQ(read_ok(R"({"question":"Which database?","header":"  "})").at(0).header,
              "Which database");
}

TEST(ReadQuestions, LineBreaksBecomeNewlines) {
    const auto questions =
        read_ok(R"({"question":"One\r\ntwo\rthree?",)"
                R"("options":[{"label":"A","description":"x\r\ny","preview":"p\rq"}]})");
    EXPECT_EQ(questions.at(0).text, "One\ntwo\nthree?");
    EXPECT_EQ(questions.at(0).options.at(0).description, "x\ny");
    EXPECT_EQ(questions.at(0).options.at(0).preview, "p\nq");
}

TEST(ReadQuestions, ALongHeaderIsKeptWholeUnlessTheProfileRefusesIt) {
    const std::string text =
        R"({"question":"Q?","header":"A header of more than twelve","options":["A","B"]})";
    EXPECT_EQ(read_ok(text, kStrictProfile).at(0).header, "A header of more than twelve");
    Profile strict_header = kStrictProfile;
    strict_header.refuses_long_header = true;
    expect_fault(text, strict_header, "/header",
                 "the header has 28 characters, but at most 12 are allowed; shorten it");
}

TEST(ReadQuestions, CharactersOfAHeaderAreWhatAPersonCounts) {
    Profile strict_header = kStrictProfile;
    strict_header.refuses_long_header = true;
    EXPECT_EQ(
        read_ok(
            R"({"question":"Q?","header":"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧éééé","options":["A","B"]})",
            strict_header)
            .size(),
        1U);
}

struct Refused {
    const char* name;
    std::string document;
    const Profile* profile;
    std::string path;
    std::string detail;
};

class RefusedQuestions : public testing::TestWithParam<Refused> {};

TEST_P(RefusedQuestions, SaysWhatIsWrongAndWhere) {
    const Refused& refused = GetParam();
    expect_fault(refused.document, *refused.profile, refused.path, refused.detail);
}

std::string options_list(int count) {
    std::string list = "[";
    for (int i = 0; i < count; ++i) list += fmt::format("{}\"Option {}\"", i > 0 ? "," : "", i);
    return list + "]";
}

std::string questions_list(int count) {
    std::string list = "[";
    for (int i = 0; i < count; ++i)
        list += fmt::format(R"({}{{"question":"Q{}?","options":["A","B"]}})", i > 0 ? "," : "", i);
    return list + "]";
}

std::string with_label(std::string_view label) {
    return fmt::format(R"({{"questions":[{{"question":"Q?","options":["A",{}]}}]}})",
                       json::quoted(label));
}

INSTANTIATE_TEST_SUITE_P(
    Documents, RefusedQuestions,
    testing::Values(
        Refused{"NoQuestionsField", "{}", &kStrictProfile, "/questions",
                "there are no questions; give \"questions\", a list of 1 to 4"},
        Refused{"NullQuestions", R"({"questions":null})", &kStrictProfile, "/questions",
                "there are no questions; give \"questions\", a list of 1 to 4"},
        Refused{"EmptyList", R"({"questions":[]})", &kStrictProfile, "/questions",
                "there is no question; ask 1 to 4"},
        Refused{"EmptyBareList", "[]", &kOpenProfile, "", "there is no question; ask 1 to 32"},
        Refused{"NotAnObject", "7", &kOpenProfile, "",
                "expected an object with \"questions\", not a number"},
        Refused{"Null", "null", &kOpenProfile, "",
                "expected an object with \"questions\", not null"},
        Refused{"QuestionsNotAList", R"({"questions":true})", &kOpenProfile, "/questions",
                "expected a list of questions, not true"},
        Refused{"QuestionNotAnObject", R"({"questions":["Q?"]})", &kOpenProfile, "/questions/0",
                "expected a question: an object with \"question\", not a string"},
        Refused{"StringThatIsNoJson", R"("Which database?")", &kOpenProfile, "",
                "this string is not a JSON document (not valid JSON: an unexpected character at "
                "byte 0); give an object with \"questions\""},
        Refused{"StringOfAStringOfAString", json::quoted(json::quoted(json::quoted("[]"))),
                &kOpenProfile, "", "expected an object with \"questions\", not a string"},
        Refused{"TooManyQuestions", R"({"questions":)" + questions_list(5) + "}", &kStrictProfile,
                "/questions",
                "5 questions, but at most 4 may be asked at once; ask the rest "
                "afterwards"},
        Refused{"TooManyQuestionsForAProgram", questions_list(33), &kOpenProfile, "",
                "33 questions, but at most 32 may be asked at once; ask the rest afterwards"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Texts, RefusedQuestions,
    testing::Values(
        Refused{"MissingText", R"({"questions":[{"options":["A"]}]})", &kOpenProfile,
                "/questions/0/question", "\"question\" is missing"},
        Refused{"TextNotAString", R"({"questions":[{"question":5}]})", &kOpenProfile,
                "/questions/0/question", "expected a string, not a number"},
        Refused{"EmptyText", R"({"questions":[{"question":""}]})", &kOpenProfile,
                "/questions/0/question", "the question is empty; give it some text"},
        Refused{"BlankText", "{\"question\":\" \\n\\u00a0\\u3000\"}", &kOpenProfile, "/question",
                "the question is empty; give it some text"},
        Refused{"DuplicateTexts", R"([{"question":"Q?"},{"question":"R?"},{"question":" Q? "}])",
                &kOpenProfile, "/2/question",
                "the text is the same as that of question 1; give each question a text of its own"},
        Refused{"LongText", fmt::format(R"({{"question":"{}"}})", std::string(16385, 'x')),
                &kOpenProfile, "/question",
                "the question has 16385 bytes, but at most 16384 are allowed; shorten it"},
        Refused{"HeaderNotAString", R"({"question":"Q?","header":{}})", &kOpenProfile, "/header",
                "expected a string, not an object"},
        Refused{"HeaderWithNewline", R"({"question":"Q?","header":"a\nb"})", &kOpenProfile,
                "/header",
                "the header contains U+000A LINE FEED at byte 1, which cannot be shown; remove it"},
        Refused{"HeaderWithEscape", R"({"question":"Q?","header":"a\u001b[2J"})", &kOpenProfile,
                "/header",
                "the header contains U+001B ESCAPE at byte 1, which cannot be shown; remove it"},
        Refused{"HeaderWithBidi", R"({"question":"Q?","header":"abc\u202e"})", &kOpenProfile,
                "/header",
                "the header contains U+202E RIGHT-TO-LEFT OVERRIDE at byte 3, which cannot be "
                "shown; remove it"},
        Refused{"MultiSelectNotABool", R"({"question":"Q?","multiSelect":"true"})", &kOpenProfile,
                "/multiSelect", "expected true or false, not a string"},
        Refused{"MultiSelectContradicts",
                R"({"question":"Q?","multiSelect":true,"multiple":false})", &kOpenProfile,
                "/multiple",
                "\"multiple\" contradicts another spelling of it; give one of multi_select, "
                "multiSelect and multiple"},
        Refused{"CustomNotABool", R"({"question":"Q?","custom":0})", &kOpenProfile, "/custom",
                "expected true or false, not a number"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Options, RefusedQuestions,
    testing::Values(
        Refused{"OptionsNotAList", R"({"question":"Q?","options":"A, B"})", &kStrictProfile,
                "/options", "expected a list, not a string"},
        Refused{"NoOptions", R"({"question":"Q?"})", &kStrictProfile, "/options",
                "0 options, but 2 to 4 are needed; a field for free text is added to them by "
                "itself"},
        Refused{"OneOption", R"({"question":"Q?","options":["A"]})", &kStrictProfile, "/options",
                "1 option, but 2 to 4 are needed; a field for free text is added to them by "
                "itself"},
        Refused{"FiveOptions", R"({"question":"Q?","options":)" + options_list(5) + "}",
                &kStrictProfile, "/options",
                "5 options, but at most 4 may be offered; leave some out"},
        Refused{"TooManyOptionsForAProgram",
                R"({"question":"Q?","options":)" + options_list(201) + "}", &kOpenProfile,
                "/options", "201 options, but at most 200 may be offered; leave some out"},
        Refused{"OptionNotAString", R"({"question":"Q?","options":["A",2]})", &kOpenProfile,
                "/options/1", "expected a label or an object with a label, not a number"},
        Refused{"LabelMissing", R"({"question":"Q?","options":[{"description":"x"}]})",
                &kOpenProfile, "/options/0/label", "\"label\" is missing"},
        Refused{"LabelNotAString", R"({"question":"Q?","options":[{"label":[]}]})", &kOpenProfile,
                "/options/0/label", "expected a string, not a list"},
        Refused{"DescriptionNotAString",
                R"({"question":"Q?","options":[{"label":"A","description":1}]})", &kOpenProfile,
                "/options/0/description", "expected a string, not a number"},
        Refused{"PreviewNotAString", R"({"question":"Q?","options":[{"label":"A","preview":{}}]})",
                &kOpenProfile, "/options/0/preview", "expected a string, not an object"},
        Refused{"EmptyLabel", with_label(""), &kOpenProfile, "/questions/0/options/1/label",
                "the label is empty; give it some text"},
        Refused{"DuplicateLabels", with_label("A"), &kOpenProfile, "/questions/0/options/1/label",
                "the label is the same as that of option 1; give each option a label of its own"},
        Refused{"LabelsThatLookAlike", with_label(" A "), &kOpenProfile,
                "/questions/0/options/1/label",
                "the label is the same as that of option 1; give each option a label of its own"},
        Refused{"LongLabel", with_label(std::string(16385, 'x')), &kOpenProfile,
                "/questions/0/options/1/label",
                "the label has 16385 bytes, but at most 16384 are allowed; shorten it"},
        Refused{"LabelWithTab", with_label("a\tb"), &kOpenProfile, "/questions/0/options/1/label",
                "the label contains U+0009 TAB at byte 1, which cannot be shown; "
                "remove it"},
        Refused{"LabelWithC1", with_label("a\u009b"), &kOpenProfile, "/questions/0/options/1/label",
                "the label contains U+009B CONTROL SEQUENCE INTRODUCER at byte 1, which cannot be "
                "shown; remove it"},
        Refused{"LabelWithZeroWidthSpace", with_label("a\u200bb"), &kOpenProfile,
                "/questions/0/options/1/label",
                "the label contains U+200B ZERO WIDTH SPACE at byte 1, which cannot be shown; "
                "remove it"},
        Refused{"LabelWithBidi", with_label("a\u2066b"), &kOpenProfile,
                "/questions/0/options/1/label",
                "the label contains U+2066 LEFT-TO-RIGHT ISOLATE at byte 1, which cannot be shown; "
                "remove it"},
        Refused{"NobodyCouldAnswer", R"({"question":"Q?","custom":false})", &kOpenProfile,
                "/custom",
                "there are no options and free text is switched off, so nobody could answer; add "
                "options or allow free text"}),
    [](const auto& info) { return info.param.name; });

TEST(ReadQuestions, EveryFaultIsNamedAtOnce) {
    const auto faults = faults_of(
        R"({"questions":[{"question":"","options":["A","A"]},{"options":[{"label":""},7]}]})",
        kStrictProfile);
    std::vector<std::string> paths;
    for (const Fault& fault : faults) paths.push_back(fault.path);
    EXPECT_THAT(
        paths, testing::UnorderedElementsAre(
                   "/questions/0/question", "/questions/0/options/1/label", "/questions/1/question",
                   "/questions/1/options/0/label", "/questions/1/options/1"));
}

TEST(ReadQuestions, TheMessageCountsTheFaultsAndTellsTheFirst) {
    const auto refused =
        read_questions(document(R"([{"question":""},{"question":""}])"), kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().message,
              "2 faults; the first, at /0/question: the question is empty; give it some text");
}

TEST(ReadQuestions, TheListOfFaultsIsBounded) {
    std::string options = "[";
    for (int i = 0; i < 100; ++i) options += i > 0 ? ",7" : "7";
    const auto refused = read_questions(
        document(fmt::format(R"({{"question":"Q?","options":{}]}})", options)), kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.size(), limits::kFaultsMax);
    EXPECT_THAT(refused.error().message,
                testing::StartsWith("more than 32 faults; the first, at /options/0:"));
}

TEST(ReadQuestions, AnAskHasALimitAsAWhole) {
    std::string options = "[";
    for (int i = 0; i < 20; ++i)
        options += fmt::format(R"({}{{"label":"{}","description":"{}"}})", i > 0 ? "," : "", i,
                               std::string(15000, 'd'));
    expect_fault(fmt::format(R"({{"question":"Q?","header":"H","options":{}]}})", options),
                 kOpenProfile, "",
                 "the ask has 300033 bytes of text, but at most 262144 are allowed; shorten "
                 "descriptions and previews, or ask in parts");
}

TEST(ReadQuestions, ControlsAreAcceptedWhereTheyAreShownEscaped) {
    const auto questions = read_ok(
        R"({"question":"a\u001b[2J\u202e?","options":[{"label":"A","description":"\u0007"}]})");
    EXPECT_EQ(questions.at(0).text, "a\x1b[2J\u202e?");
}

TEST(CheckQuestions, RefusesBadUtf8FromACaller) {
    std::vector<Question> questions = {{.text = "Q\xff?", .header = "H", .options = {}}};
    auto refused = check_questions(questions, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().faults,
                testing::ElementsAre(Fault{"/questions/0/question",
                                           "the question is not valid UTF-8 at byte 1; send it as "
                                           "UTF-8"}));
    questions = {{.text = "Q?", .header = "H", .options = {{.label = "\xc3", .description = ""}}}};
    refused = check_questions(questions, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        testing::ElementsAre(Fault{"/questions/0/options/0/label",
                                   "the label is not valid UTF-8 at byte 0; send it as UTF-8"}));
}

RC_GTEST_PROP(CheckQuestions, CheckingTwiceChangesNothing, ()) {
    const auto questions = *arbitrary::questions();
    const auto again = check_questions(questions, kOpenProfile);
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == questions);
}

RC_GTEST_PROP(ReadQuestions, WhatOurWriterWritesIsReadBack, ()) {
    const auto questions = *arbitrary::questions();
    for (const Fields fields : {Fields::all, Fields::changed}) {
        std::string text;
        json::Writer out(text);
        write_questions(out, questions, fields);
        const auto read = read_questions(document(text), kOpenProfile);
        RC_ASSERT(read.has_value());
        RC_ASSERT(*read == questions);
    }
}

TEST(MakeHeader, IsShortAndOneLine) {
    EXPECT_EQ(make_header("Which database?"), "Which database");
    EXPECT_EQ(make_header("  Name:\nmore"), "Name");
    EXPECT_EQ(make_header("Which authentication method should we use for the service?"),
              "Which authentication method…");
    EXPECT_EQ(make_header("Pneumonoultramicroscopicsilicovolcanoconiosis?"),
              "Pneumonoultramicroscopicsilic…");
    EXPECT_EQ(make_header("a\x1b[2J\u202e b"), "a[2J b");
    EXPECT_EQ(make_header("???"), "Question");
    EXPECT_EQ(make_header("\u200b"), "Question");
}

RC_GTEST_PROP(MakeHeader, IsAlwaysAHeaderThatTheRulesAccept, ()) {
    const std::string header = make_header(*arbitrary::text());
    RC_ASSERT(!is_blank(header));
    RC_ASSERT(!find_unsafe(header));
}

AskSpec simple_spec() {
    AskSpec spec;
    spec.questions = {kDatabase};
    return spec;
}

TEST(CheckSpec, NamesEveryFieldThatIsWrong) {
    AskSpec spec = simple_spec();
    spec.key = std::string(201, 'k');
    spec.agent = "a\nb";
    spec.tool = ToolCall{.message_id = "", .call_id = " "};
    spec.timeout = Millis(0);
    const auto refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        testing::UnorderedElementsAre(
            Fault{"/key", "the key has 201 characters, but at most 200 are allowed; shorten it"},
            Fault{"/agent",
                  "the agent's name contains U+000A LINE FEED at byte 1, which cannot be shown; "
                  "remove it"},
            Fault{"/tool/call_id", "the call id is empty; give it some text"},
            Fault{"/timeout_seconds",
                  "the timeout must be more than 0 seconds; leave it out to wait for ever"}));
}

// One character may have several marks over it, each of some bytes: the index by which a store
// finds a name again has only so much room.
TEST(CheckSpec, ANameHasSoManyBytesHoweverFewItsCharacters) {
    std::string marked = "e";
    while (marked.size() < 20) marked += "\u0301";
    std::string name;
    while (name.size() + marked.size() <= limits::kNameBytes) name += marked;
    name.append(limits::kNameBytes - name.size(), 'k');
    ASSERT_LT(utf8::count_clusters(name), limits::kNameChars);
    AskSpec spec = simple_spec();
    spec.key = name;
    spec.tool = ToolCall{.message_id = name, .call_id = name};
    EXPECT_TRUE(check_spec(spec, kOpenProfile));
    spec.key = name + "k";
    spec.tool->call_id = "k" + name;
    const auto refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        testing::UnorderedElementsAre(
            Fault{"/key", "the key has 2001 bytes, but at most 2000 are allowed; shorten it"},
            Fault{"/tool/call_id",
                  "the call id has 2001 bytes, but at most 2000 are allowed; shorten it"}));
}

TEST(CheckSpec, ADefaultAnswerNeedsATimeoutAndMustFitTheQuestion) {
    AskSpec spec = simple_spec();
    spec.default_answers = Answers{{.selected = {"MySQL"}}};
    auto refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(
        refused.error().faults,
        testing::ElementsAre(
            Fault{"/on_timeout/default/0/selected/0",
                  "\"MySQL\" is not one of the options; choose \"PostgreSQL\" or \"SQLite\", or "
                  "give \"other\""},
            Fault{"/on_timeout", "a default answer needs a timeout; add timeout_seconds"}));
    spec.default_answers = Answers{{.selected = {"SQLite"}}};
    spec.timeout = Millis(1);
    EXPECT_TRUE(check_spec(spec, kOpenProfile).has_value());
    spec.default_answers = Answers{Answer{}};
    refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.at(0).path, "/on_timeout/default/0");
}

TEST(CheckSpec, ATimeoutHasAnUpperBound) {
    AskSpec spec = simple_spec();
    spec.timeout = limits::kTimeoutMax;
    EXPECT_TRUE(check_spec(spec, kOpenProfile).has_value());
    spec.timeout = Millis(limits::kTimeoutMax) + Millis(1);
    const auto refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().faults,
                testing::ElementsAre(Fault{"/timeout_seconds",
                                           "the timeout may be at most 316224000 seconds; leave it "
                                           "out to wait for ever"}));
}

TEST(CheckSpec, TheContextMayBeLongButNotLongerThanAnAsk) {
    AskSpec spec = simple_spec();
    spec.context = std::string(100'000, 'c');
    EXPECT_TRUE(check_spec(spec, kOpenProfile).has_value());
    spec.context = std::string(limits::kAskBytes, 'c');
    const auto refused = check_spec(spec, kOpenProfile);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.at(0).path, "");
    spec.context = " \n";
    EXPECT_EQ(check_spec(spec, kOpenProfile)->context, std::nullopt);
}

}  // namespace
}  // namespace parley
