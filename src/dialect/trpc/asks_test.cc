// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arbitrary_values_test.h"
#include "core/printers_test.h"
#include "core/settle.h"
#include "core/test_asks.h"

namespace parley::trpc {
namespace {

using testing::ElementsAre;

json::Value document(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value.has_value()) << text;
    return value.value_or(json::Value());
}

Ask sample_ask() {
    AskSpec spec;
    spec.questions = {{.text = "Which database?",
                       .header = "DB",
                       .options = {{.label = "PostgreSQL", .description = "Yours"},
                                   {.label = "SQLite", .description = ""}}},
                      {.text = "Which features?",
                       .header = "Features",
                       .options = {{.label = "Dark mode", .description = ""},
                                   {.label = "Offline", .description = ""}},
                       .multi_select = true},
                      {.text = "Name?", .header = "DB", .options = {}}};
    Ask ask;
    ask.id = AskId(IdBits{.high = 0, .low = 2});
    ask.session = SessionId(IdBits{.high = 0, .low = 4});
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    return ask;
}

constexpr std::string_view kQuestions =
    R"([{"question":"Which database?","header":"DB","multiSelect":false,"options":)"
    R"([{"label":"PostgreSQL","description":"Yours"},{"label":"SQLite","description":""}]},)"
    R"({"question":"Which features?","header":"Features","multiSelect":true,"options":)"
    R"([{"label":"Dark mode","description":""},{"label":"Offline","description":""}]},)"
    R"({"question":"Name?","header":"DB","multiSelect":false,"options":[]}])";

TEST(Trpc, TheQuestionEventIsThatOfTheDesign) {
    EXPECT_EQ(
        ask_question_event(sample_ask()),
        R"({"type":"ask-question","questionId":"que_00000000000000000000000002","questions":)" +
            std::string(kQuestions) + "}");
}

TEST(Trpc, TheSettledEventGivesTheOutcomeAndAnswersByText) {
    const Ask ask = sample_ask();
    const Actor ada = {.principal = "ada", .door = "trpc"};
    const auto answered = make_answer(ask,
                                      {{.selected = {"SQLite"}, .note = "now"},
                                       {.selected = {"Dark mode", "Offline"}},
                                       {.other = "none"}},
                                      {}, ada, Instant());
    EXPECT_EQ(ask_settled_event(*with_settlement(ask, *answered)),
              R"({"type":"ask-settled","questionId":"que_00000000000000000000000002",)"
              R"("outcome":"answered","answers":{"Which database?":"SQLite",)"
              R"("Which features?":["Dark mode","Offline"],"Name?":"none"},)"
              R"("notes":{"Which database?":"now"}})");
    EXPECT_EQ(ask_settled_event(*with_settlement(ask, make_timeout(ask, Instant()))),
              R"({"type":"ask-settled","questionId":"que_00000000000000000000000002",)"
              R"("outcome":"timed_out"})");
}

TEST(Trpc, ThePendingListShowsTheSessionAsTheClientCallsIt) {
    auto ask = std::make_shared<Ask>(sample_ask());
    ask->deadline = Instant(Millis(1500));
    const std::vector<AskPtr> asks = {ask};
    const std::string rest = R"("questions":)" + std::string(kQuestions) +
                             R"(,"createdAt":"1970-01-01T00:00:00.000Z",)"
                             R"("deadline":"1970-01-01T00:00:01.500Z"}])";
    EXPECT_EQ(
        pending_list(asks, "session-123"),
        R"([{"questionId":"que_00000000000000000000000002","sessionId":"session-123",)" + rest);
    EXPECT_EQ(pending_list(asks, ""), R"([{"questionId":"que_00000000000000000000000002",)"
                                      R"("sessionId":"ses_00000000000000000000000004",)" +
                                          rest);
}

Answers read_ok(std::string_view text) {
    Faults faults;
    Answers answers = read_answers(sample_ask().spec->questions, document(text), {}, faults);
    EXPECT_TRUE(faults.empty()) << text << testing::PrintToString(faults.list());
    return answers;
}

TEST(Trpc, KeysMayBeTextHeaderOrIndex) {
    const Answers expected = {
        {.selected = {"SQLite"}}, {.selected = {"Dark mode", "Offline"}}, {.other = "none"}};
    EXPECT_EQ(
        read_ok(R"({"Which database?":"SQLite","Features":["Dark mode","Offline"],"2":"none"})"),
        expected);
    EXPECT_EQ(read_ok(R"({"q0":"SQLite","q1":"Dark mode, Offline","q2":["none"]})"), expected);
    EXPECT_EQ(read_ok(R"({"0":["SQLite"],"1":["Dark mode","Offline"],"Name?":"none"})"), expected);
}

TEST(Trpc, AQuestionsOwnTextCountsBeforeAllElse) {
    std::vector<Question> questions = {{.text = "1", .header = "q1", .options = {}},
                                       {.text = "q0", .header = "1", .options = {}}};
    Faults faults;
    EXPECT_THAT(read_answers(questions, document(R"({"1":"first","q0":"second"})"), {}, faults),
                ElementsAre(Answer{.other = "first"}, Answer{.other = "second"}));
    EXPECT_TRUE(faults.empty());
}

TEST(Trpc, AKeyThatCannotBeToldIsAFault) {
    const auto fault_of = [](std::string_view text) {
        Faults faults;
        const json::Path root;
        read_answers(sample_ask().spec->questions, document(text), root / "answers", faults);
        return faults.empty() ? Fault() : faults.list().front();
    };
    EXPECT_EQ(fault_of(R"({"DB":"SQLite"})"),
              (Fault{"/answers/DB",
                     "\"DB\" may mean question 1 or question 3; use the question's text"}));
    EXPECT_EQ(fault_of(R"({"3":"x"})"),
              (Fault{"/answers/3",
                     "\"3\" names no question of this ask; use a question's text, its header, or "
                     "its index from 0 to 2"}));
    EXPECT_EQ(fault_of(R"({"-1":"x"})").path, "/answers/-1");
    EXPECT_EQ(fault_of(R"({"q":"x"})").path, "/answers/q");
    EXPECT_EQ(fault_of(R"({"0":"SQLite","q0":"SQLite"})"),
              (Fault{"/answers/q0",
                     "question 1 is answered by another key too; give each question one"}));
    EXPECT_EQ(fault_of(R"({"0":{}})"),
              (Fault{"/answers/0", "expected a string or a list of strings, not an object"}));
    EXPECT_EQ(
        fault_of("[]"),
        (Fault{"/answers", "expected an object with an entry for each question, not a list"}));
    EXPECT_EQ(fault_of(R"({"0":["SQLite","PostgreSQL"]})").path, "/answers/0/1");
    EXPECT_EQ(fault_of(R"({"A question\r\nof no ask that we know of":"Yes"})").path,
              "/answers/A question\r\nof no ask that we know of");
}

TEST(Trpc, AnAskMayNameItsSessionCallAndTimeout) {
    const auto ask =
        read_ask(document(R"({"sessionId":"s1","toolCallId":"call_1","timeoutMs":1500,)"
                          R"("questions":[{"question":"Q?"}]})"));
    ASSERT_TRUE(ask.has_value());
    EXPECT_EQ(ask->request.session, "s1");
    EXPECT_EQ(ask->request.spec.tool->call_id, "call_1");
    EXPECT_EQ(ask->request.spec.timeout, Millis(1500));
    EXPECT_FALSE(ask->waits_for_ever);
    EXPECT_TRUE(read_ask(document(R"({"question":"Q?","timeoutMs":0})"))->waits_for_ever);
    const auto refused = read_ask(document(R"({"question":"","timeoutMs":-1,"sessionId":""})"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().faults.size(), 3U);
    EXPECT_FALSE(read_ask(document("7")).has_value());
}

// Models make members up; what they asked is asked all the same.
TEST(Trpc, MembersOfAnAskThatAreNotKnownAreLeftOutAndTold) {
    const auto ask =
        read_ask(document(R"({"questions":[{"question":"Q?","colour":"red",)"
                          R"("options":[{"label":"A","icon":1}]}],"urgency":"high"})"));
    ASSERT_TRUE(ask.has_value());
    std::vector<std::string> paths;
    for (const Fault& warning : ask->request.warnings) paths.push_back(warning.path);
    EXPECT_THAT(paths, testing::UnorderedElementsAre("/urgency", "/questions/0/colour",
                                                     "/questions/0/options/0/icon"));
    const auto flat = read_ask(document(R"({"question":"Q?","multiple":true,"sessionId":"s"})"));
    EXPECT_TRUE(flat->request.warnings.empty());
}

TEST(Trpc, AttachedFilesAreNamedBelowTheMessage) {
    const auto read = [](std::string_view attachments) {
        return read_stream(
            document(R"({"userMessage":"Look","attachments":)" + std::string(attachments) + "}"));
    };
    EXPECT_EQ(read("[]")->message, "Look");
    EXPECT_EQ(read(R"(["a.ts",{"path":"/b","name":"c","mimeType":"text/plain"}])")->message,
              "Look\n\n[Attached: a.ts]\n[Attached: /b (text/plain)]");
    // The file itself is not its name, and a name cannot end the line or the bracket.
    EXPECT_EQ(read(R"([{"url":"data:text/plain,x","contentType":"text/plain"}])")->message,
              "Look\n\n[Attached: a file (text/plain)]");
    EXPECT_EQ(read(R"(["a]\n[b"])")->message, "Look\n\n[Attached: a  [b]");
    EXPECT_EQ(read(R"([{"size":3}])").error().faults.front().path, "/attachments/0");
    EXPECT_EQ(read(R"([7])").error().faults.front().path, "/attachments/0");
}

TEST(Trpc, AnAnswerNamesItsQuestion) {
    const json::Value input =
        document(R"({"sessionId":"s1","questionId":"que_x","answers":{"0":"A"}})");
    const auto answer = read_answer_ask(input);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->session, "s1");
    EXPECT_EQ(answer->question_id, "que_x");
    ASSERT_NE(answer->answers, nullptr);
    EXPECT_TRUE(answer->answers->is_object());
    const auto refused = read_answer_ask(document("{}"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().faults,
                ElementsAre(Fault{"/sessionId", "\"sessionId\" is missing"},
                            Fault{"/questionId", "\"questionId\" is missing"},
                            Fault{"/answers", "\"answers\" is missing"}));
}

RC_GTEST_PROP(Trpc, AnswersReadBack, ()) {
    const auto questions = *arbitrary::questions();
    Answers answers = *arbitrary::answers(questions);
    for (Answer& answer : answers) answer.note.reset();
    std::string text;
    json::Writer out(text);
    write_answers(out, questions, answers);
    Faults faults;
    RC_ASSERT(read_answers(questions, document(text), {}, faults) == answers);
    RC_ASSERT(faults.empty());
}

RC_GTEST_PROP(Trpc, QuestionsReadBack, ()) {
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(*arbitrary::spec());
    const auto read = read_ask(document(ask_question_event(ask)));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->request.spec.questions == ask.spec->questions);
}

}  // namespace
}  // namespace parley::trpc
