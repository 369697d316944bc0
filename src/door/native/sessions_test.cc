// SPDX-License-Identifier: Apache-2.0
// Sessions, notices, messages, tokens and what operators read, through the native door.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "broker/limits.h"
#include "door/door_fixture.h"

namespace parley::door_testing {
namespace {

using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class NativeSessions : public testing::Test {
protected:
    DoorFixture fixture_;
    Api bot_ = fixture_.as("bot");
    Api rival_ = fixture_.as("rival");
    Api ada_ = fixture_.as("ada");
    Api owner_ = fixture_.as("owner");
};

TEST_F(NativeSessions, ASessionIsOpenedOnceUnderItsNameAndFoundByEither) {
    const Reply made = bot_.post("/v1/sessions", R"({"name":"chat 1","title":"Deploy",)"
                                                 R"("agent":"bot","on_dismiss":"stop"})");
    ASSERT_EQ(made.status(), 201);
    EXPECT_EQ(made.text("/state"), "idle");
    EXPECT_EQ(made.text("/on_dismiss"), "stop");
    EXPECT_EQ(bot_.post("/v1/sessions", R"({"name":"chat 1"})").status(), 200);
    EXPECT_EQ(ada_.get("/v1/sessions/chat%201").text("/id"), made.text("/id"));
    EXPECT_EQ(ada_.get("/v1/sessions/" + made.text("/id")).text("/title"), "Deploy");
    const Reply child = bot_.post("/v1/sessions", R"({"parent":"chat 1"})");
    EXPECT_EQ(child.status(), 201);
    EXPECT_EQ(child.text("/parent"), made.text("/id"));
    EXPECT_EQ(bot_.post("/v1/sessions", R"({"parent":"nobody"})").status(), 404);
    EXPECT_EQ(bot_.post("/v1/sessions", R"({"name":"a\u202eb"})").text("/errors/0/path"), "/name");
    EXPECT_EQ(bot_.post("/v1/sessions", "").status(), 201);
    EXPECT_EQ(ada_.post("/v1/sessions", "").status(), 403);
}

TEST_F(NativeSessions, ItsTimeoutIsOneThatADefaultAnswerNeeds) {
    bot_.post("/v1/sessions", R"({"name":"timed","ask_timeout_seconds":100})");
    const auto ask_in = [this](std::string_view session) {
        return bot_.post("/v1/asks",
                         fmt::format(R"({{"session":"{}","question":"Go?","options":["Yes","No"],)"
                                     R"("on_timeout":{{"default":[{{"selected":["Yes"]}}]}}}})",
                                     session));
    };
    EXPECT_EQ(ask_in("timed").status(), 201);
    const Reply refused = ask_in("untimed");
    EXPECT_EQ(refused.status(), 400);
    EXPECT_EQ(refused.text("/errors/0/path"), "/on_timeout");
}

TEST_F(NativeSessions, TheListMayBeginWithTheNewestAndHoldThoseOfOneState) {
    for (const auto* name : {"a", "b", "c", "d"}) bot_.ask(name);
    for (const auto* name : {"b", "c"}) ada_.del(fmt::format("/v1/sessions/{}", name));
    const auto names = [&](const std::string& query) {
        std::string all;
        const Reply page = ada_.get("/v1/sessions?" + query);
        EXPECT_EQ(page.status(), 200) << page.body;
        const auto document = page.json();
        for (const auto& session : document.at("sessions").as_array())
            all += std::string(session.at("name").as_string()) + " ";
        return all;
    };
    EXPECT_EQ(names("order=newest"), "d c b a ");
    EXPECT_EQ(names("state=live"), "a d ");
    EXPECT_EQ(names("state=ended&order=newest"), "c b ");
    const std::string next = ada_.get("/v1/sessions?order=newest&limit=1").text("/next");
    EXPECT_EQ(names("order=newest&state=live&after=" + next), "a ");
    EXPECT_EQ(ada_.get("/v1/sessions?order=settled").text("/detail"),
              "?order= must be oldest or newest");
    EXPECT_EQ(ada_.get("/v1/sessions?state=odd").text("/detail"), "?state= must be live or ended");
}

TEST_F(NativeSessions, TheListGoesPageByPageAndIsNotForAgents) {
    for (const auto* name : {"a", "b", "c"}) bot_.ask(name);
    const Reply first = ada_.get("/v1/sessions?limit=2");
    EXPECT_EQ(first.text("/sessions/0/name"), "a");
    EXPECT_EQ(first.text("/sessions/0/state"), "waiting");
    const Reply second = ada_.get("/v1/sessions?limit=2&after=" + first.text("/next"));
    EXPECT_EQ(second.text("/sessions/0/name"), "c");
    EXPECT_TRUE(second.json().at("next").is_null());
    EXPECT_EQ(ada_.get("/v1/sessions?after=a").status(), 400);
    EXPECT_EQ(bot_.get("/v1/sessions").status(), 403);
    EXPECT_EQ(bot_.get("/v1/sessions/a").status(), 200);
}

TEST_F(NativeSessions, EndingASessionWithdrawsItsAsks) {
    const std::string path = "/v1/asks/" + bot_.ask("chat");
    const Reply ended = bot_.call("DELETE", "/v1/sessions/chat", R"({"reason":"done"})");
    ASSERT_EQ(ended.status(), 200);
    EXPECT_EQ(ended.text("/state"), "ended");
    EXPECT_EQ(ada_.get(path).text("/state"), "withdrawn");
    EXPECT_EQ(ada_.get(path).text("/settlement/note"), "done");
    EXPECT_EQ(ada_.get("/v1/sessions/" + ended.text("/id")).text("/state"), "ended");
    EXPECT_EQ(bot_.del("/v1/sessions/chat").status(), 404);
}

TEST_F(NativeSessions, StoppingTheTurnWithdrawsTheAsksAndTheSessionLivesOn) {
    const std::string path = "/v1/asks/" + bot_.ask("chat");
    bot_.post("/v1/sessions/chat/events", R"([{"type":"status","status":"working"}])");
    const Reply stopped = ada_.post("/v1/sessions/chat/abort", "");
    ASSERT_EQ(stopped.status(), 200);
    EXPECT_EQ(stopped.text("/state"), "idle");
    EXPECT_EQ(ada_.get(path).text("/state"), "withdrawn");
    EXPECT_EQ(ada_.post("/v1/sessions/nobody/abort", "").status(), 404);
}

TEST_F(NativeSessions, AnAgentMayNotStopASessionInWhichOthersWait) {
    const std::string path = "/v1/asks/" + bot_.ask("chat");
    EXPECT_EQ(rival_.del("/v1/sessions/chat").status(), 403);
    EXPECT_EQ(rival_.post("/v1/sessions/chat/abort", "").status(), 403);
    EXPECT_EQ(ada_.get(path).text("/state"), "pending");
    EXPECT_EQ(bot_.post("/v1/sessions/chat/abort", "").status(), 200);
    EXPECT_EQ(rival_.del("/v1/sessions/chat").status(), 403) << "it is another's still";
    const std::string person = "/v1/asks/" + fixture_.as("owner").ask("chat");
    EXPECT_EQ(bot_.del("/v1/sessions/chat").text("/type"), "urn:parley:problem:denied");
    ada_.post(person + "/dismiss", "{}");
    EXPECT_EQ(bot_.del("/v1/sessions/chat").status(), 200);
}

TEST_F(NativeSessions, AnAgentIsToldHowManyOfItsOwnAsksWait) {
    bot_.ask("chat");
    owner_.ask("chat");
    EXPECT_EQ(ada_.get("/v1/sessions/chat").json().at("pending").to_number<int>(), 2);
    EXPECT_EQ(bot_.get("/v1/sessions/chat").json().at("pending").to_number<int>(), 1);
    EventReader told(bot_, "?session=chat");
    told.read_to("snapshot.end");
    bot_.post("/v1/sessions/chat/events", R"([{"type":"status","status":"working"}])");
    const auto events = told.read_to("session.status");
    EXPECT_EQ(events.back().data.at_pointer("/session/pending").to_number<int>(), 1);
}

TEST_F(NativeSessions, AMessageIsQueuedUntilTheAgentTakesIt) {
    const Reply first = ada_.post("/v1/sessions/chat/messages", R"({"text":"one","by":"Ada"})");
    ASSERT_EQ(first.status(), 202);
    EXPECT_THAT(first.text("/id"), StartsWith("msg_"));
    EXPECT_TRUE(first.json().at("queued").as_bool());
    ada_.post("/v1/sessions/chat/messages", R"({"text":"two"})");
    const Reply queued = bot_.get("/v1/sessions/chat/messages");
    EXPECT_EQ(queued.text("/messages/0/text"), "one");
    EXPECT_EQ(queued.text("/messages/1/text"), "two");
    EXPECT_EQ(bot_.post("/v1/sessions/chat/messages/taken",
                        fmt::format(R"({{"up_to":"{}"}})", first.text("/id")))
                  .status(),
              202);
    EXPECT_EQ(bot_.get("/v1/sessions/chat/messages").text("/messages/0/text"), "two");

    EventReader agent(bot_, "?session=chat&as=agent");
    agent.read_to("snapshot.end");
    const Reply live = ada_.post("/v1/sessions/chat/messages", R"({"text":"three"})");
    EXPECT_FALSE(live.json().at("queued").as_bool());
    EXPECT_EQ(agent.next()->text("/message/text"), "three");

    EXPECT_EQ(bot_.post("/v1/sessions/chat/messages", R"({"text":"x"})").status(), 403);
    EXPECT_EQ(ada_.post("/v1/sessions/chat/messages", "{}").text("/errors/0/path"), "/text");
    EXPECT_EQ(bot_.post("/v1/sessions/chat/messages/taken", R"({"up_to":"1"})").status(), 400);
    EXPECT_EQ(bot_.get("/v1/sessions/nobody/messages").status(), 404);
}

TEST_F(NativeSessions, AnAgentAddsToItsStreamAndFaultsAreNamed) {
    EXPECT_EQ(bot_.post("/v1/sessions/nobody/events", "[]").status(), 404);
    bot_.post("/v1/sessions", R"({"name":"chat"})");
    EXPECT_EQ(bot_.post("/v1/sessions/chat/events", "[]").status(), 202);
    const Reply wrong = bot_.post("/v1/sessions/chat/events", R"([{"type":"speech"}])");
    EXPECT_EQ(wrong.status(), 400);
    EXPECT_EQ(wrong.text("/errors/0/path"), "/0/type");
    EXPECT_EQ(bot_.post("/v1/sessions/chat/events", "{}").status(), 400);
    EXPECT_EQ(ada_.post("/v1/sessions/chat/events", "[]").status(), 403);
}

TEST_F(NativeSessions, ItsLogIsReadBackwardsInPages) {
    const std::string id = bot_.ask("chat");
    bot_.post("/v1/sessions/chat/events", R"([{"type":"text-end","part_id":"p","text":"Hello"}])");
    ada_.post("/v1/sessions/chat/messages", R"({"text":"Hi"})");
    ada_.put("/v1/asks/" + id + "/draft", R"({"answers":[{"selected":["Tea"]}]})");
    const Reply newest = ada_.get("/v1/sessions/chat/events?limit=3");
    ASSERT_EQ(newest.status(), 200);
    EXPECT_EQ(newest.json().at("events").as_array().size(), 2U) << "the draft is left out";
    EXPECT_EQ(newest.text("/events/0/event/part/text"), "Hello");
    EXPECT_EQ(newest.text("/events/1/event/message/text"), "Hi");
    const Reply before = ada_.get("/v1/sessions/chat/events?before=" + newest.text("/next"));
    EXPECT_EQ(before.text("/events/0/event/type"), "session.created");
    EXPECT_EQ(before.text("/events/1/event/ask/id"), id);
    EXPECT_TRUE(before.json().at("next").is_null());
    EXPECT_LT(before.text("/events/1/cursor"), newest.text("/events/0/cursor"));
    EXPECT_EQ(bot_.get("/v1/sessions/chat/events").status(), 403);
    EXPECT_EQ(ada_.get("/v1/sessions/nobody/events").status(), 404);
    EXPECT_EQ(ada_.get("/v1/sessions/chat/events?before=x").status(), 400);
}

TEST_F(NativeSessions, ANoticeIsToldToPeople) {
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    EXPECT_EQ(bot_.post("/v1/notices", R"({"text":"disk is full","level":"warning"})").status(),
              202);
    const auto notice = reader.next();
    EXPECT_EQ(notice->type, "notice");
    EXPECT_EQ(notice->text("/text"), "disk is full");
    EXPECT_EQ(notice->text("/level"), "warning");
    EXPECT_EQ(bot_.post("/v1/notices", R"({"text":"in a session","session":"chat"})").status(),
              202);
    EXPECT_EQ(bot_.post("/v1/notices", R"({"text":" "})").status(), 400);
    EXPECT_EQ(ada_.post("/v1/notices", R"({"text":"x"})").status(), 403);
}

TEST_F(NativeSessions, ATokenIsShownOnceWorksUntilItIsRevokedOrRunsOut) {
    const Reply made = owner_.post(
        "/v1/tokens", R"({"name":"phone","role":"responder","expires_in_seconds":3600})");
    ASSERT_EQ(made.status(), 201);
    const std::string secret = made.text("/token");
    EXPECT_GE(secret.size(), 40U);
    const Reply list = owner_.get("/v1/tokens");
    EXPECT_EQ(list.status(), 200);
    EXPECT_THAT(list.body, HasSubstr("\"phone\""));
    EXPECT_THAT(list.body, Not(HasSubstr(secret)));
    Api phone = fixture_.with_lines(
        fmt::format("Host: {}\r\nAuthorization: Bearer {}\r\n", fixture_.host(), secret));
    EXPECT_EQ(phone.get("/v1/asks").status(), 200);
    fixture_.advance(3601s);
    EXPECT_EQ(phone.get("/v1/asks").status(), 401);

    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"phone"})").status(), 409);
    EXPECT_EQ(owner_.del("/v1/tokens/phone").status(), 204);
    EXPECT_EQ(owner_.del("/v1/tokens/phone").status(), 404);
    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"phone"})").status(), 201);
    for (const auto* name : {"uid:0", "browser", "anyone", "", ".", "..", "guest-1", "UID:7"}) {
        const Reply refused = owner_.post("/v1/tokens", fmt::format(R"({{"name":"{}"}})", name));
        EXPECT_EQ(refused.status(), 400) << name;
        EXPECT_EQ(refused.text("/errors/0/path"), "/name") << name;
    }
    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"x","role":"king"})").status(), 400);
    for (Api* other : {&ada_, &bot_}) {
        EXPECT_EQ(other->get("/v1/tokens").status(), 403);
        EXPECT_EQ(other->post("/v1/tokens", R"({"name":"x"})").status(), 403);
        EXPECT_EQ(other->del("/v1/tokens/owner").status(), 403);
    }
}

// A sample is a name, labels perhaps, and a number; each belongs to the family announced before it.
std::map<std::string, double> parse_metrics(const std::string& text) {
    static const std::regex sample(
        R"re(([a-z_]+)(\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})? (\S+))re");
    std::map<std::string, double> values;
    std::string family;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# HELP ")) continue;
        if (line.starts_with("# TYPE ")) {
            family = line.substr(7, line.find(' ', 7) - 7);
            continue;
        }
        std::smatch parts;
        EXPECT_TRUE(std::regex_match(line, parts, sample)) << line;
        if (parts.empty()) continue;
        EXPECT_THAT(parts[1].str(), StartsWith(family)) << line;
        values[parts[1].str() + parts[2].str()] = std::stod(parts[3]);
    }
    return values;
}

TEST_F(NativeSessions, ASessionIsNotCalledADotOrTwo) {
    for (const auto* name : {".", ".."}) {
        const Reply refused = bot_.post("/v1/sessions", fmt::format(R"({{"name":"{}"}})", name));
        EXPECT_EQ(refused.status(), 400) << name;
        EXPECT_EQ(refused.text("/errors/0/path"), "/name") << name;
        EXPECT_EQ(bot_.post("/v1/asks", fmt::format(R"({{"question":"Q?","session":"{}"}})", name))
                      .status(),
                  400);
    }
}

TEST_F(NativeSessions, MetricsCountAsksAndThoseWhoCameThrough) {
    const std::string id = bot_.ask();
    bot_.ask();
    ada_.post("/v1/asks/" + id + "/answer", kTea);
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    const Reply reply = ada_.get("/metrics");
    EXPECT_EQ(reply.status(), 200);
    EXPECT_THAT(std::string(reply.header("content-type")), StartsWith("text/plain; version=0.0.4"));
    const auto values = parse_metrics(reply.body);
    EXPECT_EQ(values.at("parley_asks_pending"), 1);
    EXPECT_EQ(values.at(R"(parley_asks_opened_total{door="native"})"), 2);
    EXPECT_EQ(values.at(R"(parley_asks_settled_total{outcome="answered",door="native"})"), 1);
    EXPECT_EQ(values.at("parley_ask_wait_seconds_count"), 1);
    EXPECT_EQ(values.at(R"(parley_ask_wait_seconds_bucket{le="+Inf"})"), 1);
    EXPECT_EQ(values.at("parley_subscribers"), 1);
    EXPECT_EQ(values.at("parley_ready"), 1);
    EXPECT_GE(values.at("parley_store_commits_total"), 3);
    EXPECT_GE(values.at(R"(parley_responses_total{class="2xx"})"), 3);
    EXPECT_EQ(fixture_.with_lines("Host: " + fixture_.host() + "\r\n").get("/metrics").status(),
              401);
    EXPECT_EQ(bot_.get("/metrics").status(), 403);
}

TEST_F(NativeSessions, QueuedMessagesSayWhoSpoke) {
    ada_.post("/v1/sessions/chat/messages", R"({"text":"hi"})");
    EXPECT_EQ(bot_.get("/v1/sessions/chat/messages").text("/messages/0/by/name"), "ada");
}

TEST_F(NativeSessions, NoticesSayWhoSpeaksAndAreLimitedInRate) {
    EventReader reader(ada_, "");
    reader.read_to("snapshot.end");
    const auto give = [this](std::string_view session) {
        return bot_.post("/v1/notices",
                         fmt::format(R"({{"text":"done","session":"{}"}})", session));
    };
    for (std::size_t i = 0; i < limits::kNoticesMax; ++i) ASSERT_EQ(give("chat").status(), 202);
    const auto told = reader.read_to("notice").back();
    EXPECT_EQ(told.text("/by"), "bot");
    EXPECT_EQ(told.text("/session"), "chat");
    EXPECT_THAT(told.text("/session_id"), testing::StartsWith("ses_"));
    const Reply refused = give("chat");
    EXPECT_EQ(refused.status(), 429);
    EXPECT_EQ(refused.text("/type"), "urn:parley:problem:too-often");
    EXPECT_EQ(refused.header("retry-after"), "60");
    EXPECT_THAT(refused.text("/detail"), testing::HasSubstr("wait"));
    EXPECT_EQ(give("other").status(), 202);
    fixture_.advance(limits::kNoticeWindow);
    EXPECT_EQ(give("chat").status(), 202);
}

// Nobody knows what another node made before the database went away.
TEST(NativeSharedStore, WhatIsNotKnownWhileItIsAwayIsNotCalledMissing) {
    DoorFixture fixture({.is_shared = true});
    Api owner = fixture.as("owner");
    const auto statuses = [&] {
        return std::vector{
            owner.post("/v1/sessions", R"({"parent":"made-elsewhere"})").status(),
            owner.post("/v1/tokens", R"({"name":"t","role":"agent","session":"made-elsewhere"})")
                .status(),
            owner.post("/v1/tokens", R"({"name":"t","as":"made-elsewhere"})").status(),
            owner.post("/v1/tokens/made-elsewhere/rotate", "{}").status()};
    };
    EXPECT_THAT(statuses(), testing::Each(404));
    fixture.lose_store();
    EXPECT_THAT(statuses(), testing::Each(503));
}

}  // namespace
}  // namespace parley::door_testing
