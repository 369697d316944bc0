// SPDX-License-Identifier: Apache-2.0
// What depends on time, on who asks and on how a connection ends; the rest is shown with
// @trpc/client in tests/clients/trpc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/limits.h"
#include "door/door_fixture.h"
#include "door/limits.h"
#include "net/limits.h"

namespace parley {
namespace {

using namespace door_testing;
using testing::HasSubstr;

constexpr std::string_view kAsk =
    R"({"sessionId":"chat","toolCallId":"c","questions":[{"question":"Tea?","options":["Yes"]}]})";
constexpr std::string_view kStream =
    "/trpc/message.streamResponse?input=%7B%22sessionId%22"
    "%3A%22chat%22%7D";

class TrpcDoorTest : public testing::Test {
protected:
    RawClient begin_ask(std::string_view body = kAsk) {
        Api bot = fixture_.as("bot");
        RawClient client = bot.connect();
        client.send(bot.encode("POST", "/trpc/message.ask", body));
        fixture_.wait_until([this] { return pending() == 1; });
        return client;
    }
    std::size_t pending() { return fixture_.broker().ledger().pending().size(); }
    std::string pending_id() {
        return fixture_.on_loop(
            [this] { return fixture_.broker().ledger().pending().begin()->first.str(); });
    }
    Reply answer(const std::string& id) {
        return fixture_.as("ada").post(
            "/trpc/message.answerAsk",
            R"({"sessionId":"chat","questionId":")" + id + R"(","answers":{"q0":"Yes"}})");
    }

    DoorFixture fixture_{{.has_trpc = true}};
};

// fetch and proxies give up on a response that does not begin; a person may take longer.
TEST_F(TrpcDoorTest, AnAskThatWaitsLongSendsSpacesBeforeItsAnswer) {
    RawClient agent = begin_ask();
    fixture_.advance(limits::kHeartbeatInterval);
    const auto head = agent.receive_head();
    ASSERT_TRUE(head.has_value());
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(answer(pending_id()).status(), 200);
    const std::string body = agent.read_until("}}}}");
    EXPECT_THAT(body, HasSubstr(" \r\n"));
    EXPECT_THAT(body, HasSubstr(R"("answers":{"Tea?":"Yes"})"));
}

constexpr std::string_view kWarning =
    R"("warnings":[{"path":"/questions/0/colour","detail":"\"colour\" is not known here)";

TEST_F(TrpcDoorTest, WhatAnAskHoldsThatIsNotKnownIsToldWithItsAnswerAndWithItsFailure) {
    constexpr std::string_view kColoured =
        R"({"sessionId":"chat",)"
        R"("questions":[{"question":"Tea?","options":["Yes"],"colour":"red"}]})";
    RawClient answered = begin_ask(kColoured);
    EXPECT_EQ(answer(pending_id()).status(), 200);
    EXPECT_THAT(answered.receive(wire::Method::post)->body, HasSubstr(kWarning));
    RawClient dismissed = begin_ask(kColoured);
    EXPECT_EQ(fixture_.as("ada").post("/v1/asks/" + pending_id() + "/dismiss", "{}").status(), 200);
    const std::string failure(dismissed.receive(wire::Method::post)->body);
    EXPECT_THAT(failure, HasSubstr("CONFLICT"));
    EXPECT_THAT(failure, HasSubstr(kWarning));
}

TEST_F(TrpcDoorTest, AnAskOutlivesItsConnectionAndIsFoundAgainByItsCall) {
    RawClient lost = begin_ask();
    const std::string id = pending_id();
    lost.close();
    RawClient again = begin_ask();
    EXPECT_EQ(answer(id).status(), 200);
    const auto told = again.receive();
    ASSERT_TRUE(told.has_value());
    EXPECT_THAT(told->body, HasSubstr(id));
}

TEST_F(TrpcDoorTest, AServerThatStopsTellsTheAgentHowToComeBack) {
    RawClient agent = begin_ask();
    fixture_.begin_drain();
    const auto told = agent.receive();
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->head.status, 503);
    EXPECT_THAT(told->body, HasSubstr("toolCallId"));
}

TEST_F(TrpcDoorTest, AnInputThatIsWrongIsABadRequestBeforeAnythingIsLookedUp) {
    for (const auto* answers : {R"({"q0":5})", R"({"q0":["Tea",5]})", R"(["Tea"])", R"("Tea")"}) {
        const std::string input = fmt::format(
            R"({{"sessionId":"nowhere","questionId":"que_unknown","answers":{}}})", answers);
        const Reply single = fixture_.as("ada").post("/trpc/message.answerAsk", input);
        EXPECT_EQ(single.status(), 400) << answers;
        EXPECT_THAT(single.body, HasSubstr("BAD_REQUEST"));
        const Reply batch =
            fixture_.as("ada").post("/trpc/message.answerAsk?batch=1", R"({"0":)" + input + "}");
        EXPECT_EQ(batch.status(), 400) << answers;
    }
    const Reply unknown = fixture_.as("ada").post(
        "/trpc/message.answerAsk",
        R"({"sessionId":"nowhere","questionId":"que_unknown","answers":{"q0":"Tea"}})");
    EXPECT_EQ(unknown.status(), 404);
}

TEST_F(TrpcDoorTest, TheDefaultDeadlineIsFiveMinutes) {
    RawClient agent = begin_ask();
    fixture_.advance(std::chrono::minutes(5));
    EXPECT_THAT(agent.read_until("TIMEOUT"), HasSubstr("Ask timeout"));
}

TEST_F(TrpcDoorTest, ZeroMeansNoDeadline) {
    RawClient agent =
        begin_ask(R"({"sessionId":"chat","timeoutMs":0,"questions":[{"question":"Tea?"}]})");
    fixture_.advance(std::chrono::hours(1000));
    EXPECT_EQ(fixture_.on_loop([this] { return pending(); }), 1u);
}

// Agents see their own asks, on a stream as in the list.
TEST_F(TrpcDoorTest, AnAgentDoesNotSeeWhatAnotherAsks) {
    RawClient asking = begin_ask();
    const Reply listed =
        fixture_.as("rival").get("/trpc/message.pending?input=%7B%22sessionId%22%3A%22chat%22%7D");
    EXPECT_EQ(listed.body, R"({"result":{"data":[]}})");
    const Reply stopped =
        fixture_.as("rival").post("/trpc/message.abort", R"({"sessionId":"chat"})");
    EXPECT_EQ(stopped.status(), 403);
    EXPECT_EQ(fixture_.as("rival").post("/trpc/message.answerAsk", "{}").status(), 403);
    EXPECT_EQ(fixture_.as("ada").post("/trpc/message.ask", kAsk).status(), 403);
}

// One request, however many calls it has, makes the loop write so much and no more.
TEST_F(TrpcDoorTest, ListsAndBatchesEndAtTheirBounds) {
    Api bot = fixture_.as("bot");
    const auto ask = [&](std::string_view session) {
        const std::string text(limits::kTextBytes - 100, 'q');
        std::string body =
            R"({"sessionId":")" + std::string(session) + R"(","blocking":false,"questions":[)";
        for (int i = 0; i < 15; ++i)
            body += (i == 0 ? R"({"question":")" : R"(,{"question":")") + std::to_string(i) + text +
                    "\"}";
        ASSERT_EQ(bot.post("/trpc/message.ask", body + "]}").status(), 200);
    };
    for (int i = 0; i < 8; ++i) ask("chat");
    const std::string one = "%22%3A%7B%22sessionId%22%3A%22chat%22%7D";
    const auto batch = [&](int calls) {
        std::string target = "/trpc/message.pending";
        std::string input = "%7B%220" + one;
        for (int i = 1; i < calls; ++i) {
            target += ",message.pending";
            input += "%2C%22" + std::to_string(i) + one;
        }
        return bot.get(target + "?batch=1&input=" + input + "%7D");
    };
    EXPECT_EQ(batch(2).status(), 200);
    const Reply many = batch(6);
    EXPECT_EQ(many.status(), 207);
    EXPECT_NE(many.body.find("PAYLOAD_TOO_LARGE"), std::string::npos);
    EXPECT_NE(many.body.find("ask for the rest by itself"), std::string::npos);
    EXPECT_LT(many.body.size(), limits::kTrpcBatchBytes + 2 * limits::kTrpcPendingBytes);
    ask("chat");
    const Reply over = batch(1);
    EXPECT_EQ(over.status(), 413);
    EXPECT_NE(over.body.find("read them page by page from /v1/asks?state=pending"),
              std::string::npos);
    EXPECT_NE(batch(6).body.find("ask for the rest by itself"), std::string::npos)
        << "what would have been too large has cost as much as an answer";
}

TEST_F(TrpcDoorTest, APlainStreamMarksWhereItIs) {
    RawClient asking = begin_ask();
    Api ada = fixture_.as("ada");
    RawClient reader = ada.connect();
    reader.send(ada.encode("GET", kStream, {}, "Accept: text/event-stream\r\n"));
    const std::string text = reader.read_until("event: restore-id");
    EXPECT_THAT(text, HasSubstr("event: connected\ndata: {\"reconnectAfterInactivityMs\":45000}"));
    EXPECT_THAT(text, HasSubstr("id: \ndata: {\"type\":\"ask-question\""));
}

// Its client may have been shown the ask by a stream that fell silent, and comes without an id.
TEST_F(TrpcDoorTest, AFreshPlainStreamIsToldAgainWhatWasSettledOfLate) {
    RawClient asking = begin_ask();
    EXPECT_EQ(answer(pending_id()).status(), 200);
    Api ada = fixture_.as("ada");
    RawClient reader = ada.connect();
    reader.send(ada.encode("GET", kStream, {}, "Accept: text/event-stream\r\n"));
    EXPECT_THAT(reader.read_until("event: restore-id"),
                HasSubstr("data: {\"type\":\"ask-settled\""));
}

// A subscriber reads no status: what is wrong comes as an event.
TEST_F(TrpcDoorTest, ASubscriberIsToldInItsStreamThatItsTokenIsWrong) {
    Api stranger = fixture_.with_lines("Host: " + fixture_.host() + "\r\n");
    const Reply refused = stranger.get(kStream, "Accept: text/event-stream\r\n");
    EXPECT_EQ(refused.status(), 200);
    EXPECT_THAT(refused.body, HasSubstr("event: serialized-error"));
    EXPECT_THAT(refused.body, HasSubstr("UNAUTHORIZED"));
    EXPECT_EQ(stranger.get(kStream).status(), 401);
}

TEST_F(TrpcDoorTest, AStreamEndsWhenItsTokenIsTakenBack) {
    Api ada = fixture_.as("ada");
    RawClient reader = ada.connect();
    reader.send(ada.encode("GET", kStream));
    (void)reader.read_until("restore-id");
    fixture_.on_loop([this] { fixture_.broker().drop_token("ada", [](const Result<void>&) {}); });
    RawClient asking = begin_ask();
    EXPECT_THAT(reader.read_until("UNAUTHORIZED"), HasSubstr("serialized-error"));
}

}  // namespace
}  // namespace parley
