// SPDX-License-Identifier: Apache-2.0
#include "dialect/chat/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/settle.h"

namespace parley::chat {
namespace {

using testing::HasSubstr;

Ask drink(std::optional<Millis> timeout = {}) {
    AskSpec spec{.questions = {{.text = "Which drink?",
                                .header = "Drink",
                                .options = {{"Tea", "hot"}, {"Coffee", ""}}}}};
    spec.timeout = timeout;
    Ask ask{.id = AskId(),
            .session = SessionId(),
            .spec = std::make_shared<const AskSpec>(std::move(spec))};
    return ask;
}

Ask settled(Outcome outcome) {
    Ask ask = drink();
    ask.settlement =
        std::make_shared<const Settlement>(Settlement{.outcome = outcome,
                                                      .answers = {{.selected = {"Tea"}}},
                                                      .decider = {.principal = "ada"},
                                                      .door = "native"});
    return ask;
}

TEST(ChatMessages, AResponseIsReadInBothSpellings) {
    for (const std::string key : {"question_id", "questionId"}) {
        const auto read = read_message(R"({"type":"ask_user_response","data":{")" + key +
                                       R"(":"q_1","answers":{"Which drink?":"Tea"}}})");
        ASSERT_TRUE(read);
        const auto& response = std::get<Response>(*read);
        EXPECT_EQ(response.question_id, "q_1");
        EXPECT_FALSE(response.is_cancelled);
        EXPECT_EQ(read_answers(drink().spec->questions, response.answers).value(),
                  (Answers{{.selected = {"Tea"}}}));
    }
    const auto cancelled = read_message(
        R"({"type":"ask_user_response","data":{"question_id":"q_1","cancelled":true}})");
    EXPECT_TRUE(std::get<Response>(*cancelled).is_cancelled);
}

TEST(ChatMessages, MessagesAndInterruptsAreRead) {
    EXPECT_EQ(
        std::get<UserMessage>(*read_message(R"({"type":"user_message","data":{"message":"hi"}})"))
            .text,
        "hi");
    EXPECT_TRUE(std::holds_alternative<Interrupt>(*read_message(R"({"type":"interrupt"})")));
}

TEST(ChatMessages, WhatIsWrongIsNamed) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"{", "Invalid message format"},
        {"7", "Invalid message format"},
        {R"({"type":"ping"})", "Unknown message type"},
        {R"({"type":"ask_user_response"})", "Invalid ask_user_response"},
        {R"({"type":"ask_user_response","data":{"question_id":"q","answers":[]}})",
         "Invalid ask_user_response"},
        {R"({"type":"user_message","data":{"message":""}})", "Invalid user_message"},
    };
    for (const auto& [text, message] : cases) {
        const auto read = read_message(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message, HasSubstr(message)) << text;
    }
    const auto wrong =
        read_answers(drink().spec->questions, *json::parse(R"({"Which colour?":"Tea"})"));
    EXPECT_EQ(wrong.error().faults.at(0).path, "/data/answers/Which colour?");
}

TEST(ChatMessages, AQuestionCarriesItsIdTwiceAndItsTimeout) {
    const std::string asked = ask_user_question(drink(std::chrono::seconds(55)), Cursor{7});
    EXPECT_THAT(asked, HasSubstr(R"("timeout_seconds":55)"));
    EXPECT_THAT(asked, HasSubstr(R"("question_id":"que_)"));
    EXPECT_THAT(asked, HasSubstr(R"("questionId":"que_)"));
    EXPECT_THAT(asked, HasSubstr(R"("multiSelect":false)"));
    EXPECT_THAT(asked, HasSubstr(R"("cursor":"7")"));
    EXPECT_THAT(ask_user_question(drink()), HasSubstr(R"("timeout_seconds":0)"));
}

TEST(ChatMessages, EveryOutcomeReadsDifferently) {
    EXPECT_THAT(ask_user_timeout(settled(Outcome::timed_out)),
                HasSubstr(R"("error":"User response timed out","reason":"timed_out")"));
    EXPECT_THAT(ask_user_timeout(settled(Outcome::dismissed)),
                HasSubstr(R"("error":"User cancelled question","reason":"cancelled")"));
    EXPECT_THAT(ask_user_settled(settled(Outcome::answered)),
                HasSubstr(R"("answers":{"Which drink?":"Tea"})"));
    EXPECT_THAT(settled_error(settled(Outcome::withdrawn)), HasSubstr("withdrawn by ada"));
}

TEST(ChatMessages, AStatusSaysWhatTheSessionDoes) {
    Status status{.session = "s", .activity = Activity::working};
    EXPECT_THAT(session_status(status), HasSubstr(R"("is_processing":true)"));
    EXPECT_THAT(session_status(status), HasSubstr(R"("status":"thinking")"));
    status.has_written = true;
    EXPECT_THAT(session_status(status), HasSubstr(R"("status":"generating")"));
    status.pending = AskId();
    EXPECT_THAT(session_status(status),
                HasSubstr(R"("is_processing":false,"waiting_for_user":true)"));
    EXPECT_THAT(session_status({.session = "s"}),
                HasSubstr(R"("pending_question_id":null,"pending_count":0,"status":"done")"));
}

}  // namespace
}  // namespace parley::chat
