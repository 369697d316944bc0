// SPDX-License-Identifier: Apache-2.0
// Asks and how they end, through the native door.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>

#include "door/door_fixture.h"
#include "net/login.h"
#include "text/limits.h"
#include "wire/limits.h"

namespace parley::door_testing {
namespace {

using std::chrono_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kNoSuchAsk = "/v1/asks/que_00000000000000000000000000";

std::string ask_with(std::string_view more) {
    return fmt::format(R"({{"questions":[{{"question":"Q?","options":["A","B"]}}]{}}})", more);
}

class NativeAsks : public testing::Test {
protected:
    DoorFixture fixture_;
    Api bot_ = fixture_.as("bot");
    Api ada_ = fixture_.as("ada");
    Api owner_ = fixture_.as("owner");
};

TEST_F(NativeAsks, AnAskIsCreatedOnceAndShownAsItIs) {
    const Reply made = bot_.post(
        "/v1/asks", ask_with(R"(,"session":"s-1","urgency":"high","context":"*why*","agent":"b",)"
                             R"("tool":{"message_id":"m","call_id":"c"},"timeout_seconds":60)"));
    ASSERT_EQ(made.status(), 201);
    EXPECT_EQ(made.header("content-type"), "application/json");
    EXPECT_EQ(made.header("location"), "/v1/asks/" + made.text("/id"));
    EXPECT_EQ(made.text("/state"), "pending");
    EXPECT_EQ(made.text("/session"), "s-1");
    EXPECT_THAT(made.text("/session_id"), StartsWith("ses_"));
    EXPECT_EQ(made.text("/urgency"), "high");
    EXPECT_EQ(made.text("/tool/call_id"), "c");
    EXPECT_EQ(made.text("/asker"), "prn_bot");
    EXPECT_EQ(made.text("/on_timeout"), "deny");
    const Reply shown = ada_.get("/v1/asks/" + made.text("/id"));
    EXPECT_EQ(shown.status(), 200);
    EXPECT_EQ(shown.text("/session"), "s-1");
    EXPECT_EQ(shown.text("/session_id"), made.text("/session_id"));
    EXPECT_EQ(shown.text("/context"), "*why*");
}

TEST_F(NativeAsks, WhatIsPermittedIsShownWholeWithASummary) {
    const Reply made = bot_.post(
        "/v1/asks",
        ask_with(R"(,"permission":{"tool":"Edit","input":{"file_path":"a.cc","old_string":"x",)"
                 R"("new_string":"y"},"diff":"+ harmless"})"));
    ASSERT_EQ(made.status(), 201) << made.body;
    const Reply shown = ada_.get("/v1/asks/" + made.text("/id"));
    EXPECT_EQ(shown.text("/permission/summary"), "a.cc");
    EXPECT_EQ(shown.text("/permission/input/new_string"), "y");
    EXPECT_THAT(shown.text("/permission/diff"), HasSubstr("-x\n+y\n"));

    const auto path = [this](std::string_view permission) {
        const Reply reply =
            bot_.post("/v1/asks", ask_with(std::string(",\"permission\":").append(permission)));
        EXPECT_EQ(reply.status(), 400) << reply.body;
        return reply.text("/errors/0/path");
    };
    EXPECT_EQ(path(R"({"tool":"Bash","input":{},"summary":"ls"})"), "/permission/summary");
    EXPECT_EQ(path(R"({"tool":"Bash"})"), "/permission/input");
    EXPECT_EQ(path(R"({"tool":" ","input":{}})"), "/permission/tool");
    EXPECT_EQ(path(R"({"input":{}})"), "/permission/tool");
}

TEST_F(NativeAsks, MembersThatAreNotKnownAreRefusedAtEveryDepthWithTheNearestName) {
    const auto fault = [](const Reply& reply) {
        EXPECT_EQ(reply.status(), 400) << reply.body;
        return reply.text("/errors/0/path") + " " + reply.text("/errors/0/detail");
    };
    const auto asked = [&](const char* body) { return fault(bot_.post("/v1/asks", body)); };
    EXPECT_THAT(asked(R"({"question":"Q?","timeout_second":5})"),
                StartsWith("/timeout_second \"timeout_second\" is not known here; did you mean "
                           "\"timeout_seconds\"?"));
    EXPECT_THAT(asked(R"({"questions":[{"question":"Q?","mutli_select":true}]})"),
                StartsWith("/questions/0/mutli_select"));
    EXPECT_THAT(asked(R"({"questions":[{"question":"Q?","options":[{"label":"A","lable":1}]}]})"),
                StartsWith("/questions/0/options/0/lable"));
    EXPECT_THAT(asked(R"({"question":"Q?","tool":{"call_id":"c","callId":"d"}})"),
                StartsWith("/tool/callId"));
    EXPECT_THAT(asked(R"({"question":"Q?","permission":{"tool":"T","input":{},"plans":"x"}})"),
                StartsWith("/permission/plans"));
    EXPECT_EQ(bot_.post("/v1/asks",
                        R"({"question":"Q?","permission":{"tool":"T","input":{"any":{"x":1}}}})")
                  .status(),
              201);
    const std::string path = "/v1/asks/" + bot_.ask("s");
    EXPECT_THAT(
        fault(ada_.post(path + "/answer", R"({"answers":[{"selected":["Tea"],"notes":"x"}]})")),
        StartsWith("/answers/0/notes"));
    EXPECT_THAT(fault(ada_.post(path + "/dismiss", R"({"reson":"x"})")), StartsWith("/reson"));
    EXPECT_THAT(fault(bot_.post("/v1/sessions", R"({"titel":"x"})")), StartsWith("/titel"));
    EXPECT_THAT(fault(bot_.post("/v1/notices", R"({"text":"x","lvl":"info"})")),
                StartsWith("/lvl"));
    EXPECT_THAT(fault(bot_.post("/v1/sessions/s/events", R"([{"type":"finish","resaon":"x"}])")),
                StartsWith("/0/resaon"));
    EXPECT_EQ(bot_.post("/v1/sessions/s/events",
                        R"([{"type":"tool-output","call_id":"c","output":{"any":1}}])")
                  .status(),
              202);
    EXPECT_EQ(ada_.get(path).text("/state"), "pending");
}

TEST_F(NativeAsks, TheSameKeyAgainIs200TheSameAskAndOtherQuestionsAreAConflict) {
    const std::string body = ask_with(R"(,"key":"k","session":"s")");
    const Reply first = bot_.post("/v1/asks", body);
    const Reply again = bot_.post("/v1/asks", body);
    EXPECT_EQ(first.status(), 201);
    EXPECT_EQ(again.status(), 200);
    EXPECT_EQ(again.text("/id"), first.text("/id"));
    const Reply other =
        bot_.post("/v1/asks", R"({"questions":[{"question":"Else?"}],"key":"k","session":"s"})");
    EXPECT_EQ(other.status(), 409);
    EXPECT_EQ(other.header("content-type"), "application/problem+json");
    EXPECT_EQ(other.text("/type"), "urn:parley:problem:key-conflict");
}

TEST_F(NativeAsks, AnotherAgentsKeyShowsNothingOfItsAsk) {
    for (const auto* more : {R"(,"key":"k","session":"s")",
                             R"(,"session":"s","tool":{"message_id":"m","call_id":"c"})"}) {
        const Reply made = bot_.post("/v1/asks", ask_with(more));
        ASSERT_EQ(made.status(), 201);
        const Reply guessed = fixture_.as("rival").post("/v1/asks?wait=1", ask_with(more));
        EXPECT_EQ(guessed.status(), 403);
        EXPECT_EQ(guessed.text("/type"), "urn:parley:problem:session-of-another");
        EXPECT_EQ(guessed.body.find(made.text("/id")), std::string::npos);
        // The owner sees everything anyway, and may come back to what an agent has asked.
        EXPECT_EQ(fixture_.as("owner").post("/v1/asks", ask_with(more)).text("/id"),
                  made.text("/id"));
    }
}

TEST_F(NativeAsks, EveryFaultOfAnAskIsNamedByItsPath) {
    const Reply reply = bot_.post(
        "/v1/asks", R"({"questions":[{"question":"","options":["A","A"]}],"urgency":"now"})");
    ASSERT_EQ(reply.status(), 400);
    EXPECT_EQ(reply.text("/type"), "urn:parley:problem:invalid");
    std::vector<std::string> paths;
    const json::Value problem = reply.json();
    for (const json::Value& fault : problem.at("errors").as_array())
        paths.push_back(text_at(fault, "/path"));
    EXPECT_THAT(paths, testing::UnorderedElementsAre("/questions/0/question",
                                                     "/questions/0/options/1/label", "/urgency"));
}

TEST_F(NativeAsks, BodiesThatAreNoDocumentAreRefusedAndOthersServed) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const std::string& body :
         {deep, std::string("{"), std::string("\"\xff\xfe\""), std::string("[1e999]")}) {
        const Reply reply = bot_.post("/v1/asks", body);
        EXPECT_EQ(reply.status(), 400) << body.substr(0, 20);
        EXPECT_EQ(reply.text("/type"), "urn:parley:problem:invalid");
    }
    EXPECT_EQ(bot_.post("/v1/asks", "").status(), 400);
    EXPECT_EQ(bot_.post("/v1/asks", ask_with("")).status(), 201);
}

TEST_F(NativeAsks, ABodyOver4MiBIs413AndOneOfAnotherTypeIs415) {
    const std::string large(limits::kBodyBytes + 1, ' ');
    const Reply too_large = bot_.post("/v1/asks", large);
    EXPECT_EQ(too_large.status(), 413);
    EXPECT_EQ(too_large.header("content-type"), "application/problem+json");
    const Reply typed =
        bot_.post("/v1/asks", ask_with(""), "Content-Type: application/x-www-form-urlencoded\r\n");
    EXPECT_EQ(typed.status(), 415);
    EXPECT_EQ(typed.header("content-type"), "application/problem+json");
    // A client that names no type at all is taken at its word.
    auto client = bot_.connect();
    std::string bytes = bot_.encode("POST", "/v1/asks", ask_with(""));
    bytes.erase(bytes.find("Content-Type: application/json\r\n"), 32);
    client.send(bytes);
    EXPECT_EQ(client.receive()->status(), 201);
}

TEST_F(NativeAsks, TheListGoesPageByPageOldestFirstAndByStateAndSession) {
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(bot_.ask(i < 3 ? "one" : "two"));
    ASSERT_EQ(ada_.post("/v1/asks/" + ids[1] + "/answer", kTea).status(), 200);

    const auto list = [this](const std::string& query) {
        std::vector<std::string> found;
        std::string after;
        while (true) {
            const Reply page = ada_.get("/v1/asks?limit=2&" + query + after);
            EXPECT_EQ(page.status(), 200) << page.body;
            const json::Value document = page.json();
            for (const json::Value& ask : document.at("asks").as_array())
                found.push_back(text_at(ask, "/id"));
            const std::string next = page.text("/next");
            if (next.empty()) return found;
            after = "&after=" + next;
        }
    };
    EXPECT_EQ(list(""), ids);
    EXPECT_THAT(list("state=pending"), ElementsAre(ids[0], ids[2], ids[3], ids[4]));
    EXPECT_THAT(list("state=answered"), ElementsAre(ids[1]));
    EXPECT_THAT(list("state=settled"), ElementsAre(ids[1]));
    EXPECT_THAT(list("state=pending,answered&order=newest"),
                ElementsAre(ids[4], ids[3], ids[2], ids[1], ids[0]));
    EXPECT_THAT(list("q=TEA%20ada"), ElementsAre(ids[1])) << "the answer, and who gave it";
    EXPECT_EQ(list("q=tea"), ids) << "the question";
    EXPECT_THAT(list("q=nowhere"), testing::IsEmpty());
    EXPECT_THAT(list("session=two"), ElementsAre(ids[3], ids[4]));
    EXPECT_EQ(ada_.get("/v1/asks?session=two").text("/asks/0/session"), "two");
}

TEST_F(NativeAsks, ParametersThatMakeNoSenseAreRefused) {
    for (const auto* target : {"/v1/asks?limit=0", "/v1/asks?limit=1001", "/v1/asks?limit=x",
                               "/v1/asks?state=open", "/v1/asks?state=pending,", "/v1/asks?after=x",
                               "/v1/asks/que_00000000000000000000000000?wait=601",
                               "/v1/asks/que_00000000000000000000000000?wait=-1"}) {
        const Reply reply = ada_.get(target);
        EXPECT_EQ(reply.status(), 400) << target;
        EXPECT_THAT(reply.text("/detail"), HasSubstr("must be")) << target;
    }
    EXPECT_EQ(bot_.post("/v1/asks?wait=1e3", ask_with("")).status(), 400);
    EXPECT_EQ(ada_.get("/v1/asks?session=unheard-of").status(), 404);
}

TEST_F(NativeAsks, WhatIsNotThereIs404AndAnyBytesInThePathAreAnsweredInUtf8) {
    for (const std::string_view target :
         {kNoSuchAsk, std::string_view("/v1/asks/%FF%FE"), std::string_view("/v1/sessions/%FF"),
          std::string_view("/v1/else"), std::string_view("/v1/asks?session=%C0%80")}) {
        const Reply reply = ada_.get(target);
        EXPECT_EQ(reply.status(), 404) << target;
        EXPECT_TRUE(json::parse(reply.body)) << reply.body;
    }
    EXPECT_EQ(ada_.post(std::string(kNoSuchAsk) + "/answer", kTea).status(), 404);
    EXPECT_EQ(ada_.post(std::string(kNoSuchAsk) + "/dismiss", "").status(), 404);
    EXPECT_EQ(owner_.post(std::string(kNoSuchAsk) + "/withdraw", "").status(), 404);
}

TEST_F(NativeAsks, AnAnswerSettlesAndTheSameAgainIs200AndAnotherIs409WithTheFirst) {
    const std::string path = "/v1/asks/" + bot_.ask();
    const Reply settled = ada_.post(path + "/answer", R"({"answers":[{"selected":["Tea"],)"
                                                      R"("note":"hot"}],"by":"Ada L."})");
    ASSERT_EQ(settled.status(), 200);
    EXPECT_EQ(settled.text("/state"), "answered");
    EXPECT_EQ(settled.text("/settlement/answers/0/selected/0"), "Tea");
    EXPECT_EQ(settled.text("/settlement/answers/0/note"), "hot");
    EXPECT_EQ(settled.text("/settlement/decider/kind"), "person");
    EXPECT_EQ(settled.text("/settlement/decider/principal"), "prn_ada");
    EXPECT_EQ(settled.text("/settlement/decider/name"), "ada");
    EXPECT_EQ(settled.text("/settlement/decider/claimed"), "Ada L.");
    EXPECT_EQ(settled.text("/settlement/door"), "native");

    EXPECT_EQ(ada_.post(path + "/answer", R"({"answers":[{"selected":["Tea"],"note":"hot"}],)"
                                          R"("by":"Ada L."})")
                  .status(),
              200);
    const Reply late = ada_.post(path + "/answer", kTea);
    ASSERT_EQ(late.status(), 409);
    EXPECT_EQ(late.header("content-type"), "application/problem+json");
    EXPECT_EQ(late.text("/type"), "urn:parley:problem:already-settled");
    EXPECT_EQ(late.text("/ask/settlement/decider/claimed"), "Ada L.");
    EXPECT_EQ(ada_.post(path + "/dismiss", "").status(), 409);
    EXPECT_EQ(bot_.post(path + "/withdraw", "").status(), 409);
}

TEST_F(NativeAsks, AnInvalidAnswerNamesTheFieldAndLeavesTheAskPending) {
    const std::string id =
        bot_.post("/v1/asks", R"({"questions":[{"question":"Q?","options":["A","B"],)"
                              R"("custom":false},{"question":"R?"}]})")
            .text("/id");
    const std::string path = "/v1/asks/" + id;
    const auto fault = [&](std::string_view body) {
        const Reply reply = ada_.post(path + "/answer", body);
        EXPECT_EQ(reply.status(), 400) << body;
        return reply.text("/errors/0/path");
    };
    EXPECT_EQ(fault(R"({"answers":[{"selected":["C"]},{"selected":[],"other":"x"}]})"),
              "/answers/0/selected/0");
    EXPECT_THAT(fault(R"({"answers":[{"selected":["A"]}]})"), StartsWith("/answers"));
    EXPECT_EQ(fault(R"({})"), "/answers");
    EXPECT_THAT(fault(R"({"answers":[{"selected":[]},{"selected":[]}],"partial":true})"),
                StartsWith("/answers"));
    EXPECT_EQ(fault(fmt::format(
                  R"({{"answers":[{{"selected":["A"]}},{{"selected":[],"other":"x"}}],"by":"{}"}})",
                  std::string(201, 'x'))),
              "/by");
    EXPECT_EQ(ada_.get(path).text("/state"), "pending");
    const Reply partial =
        ada_.post(path + "/answer", R"({"answers":[{"selected":["A"]}],"partial":true})");
    EXPECT_EQ(partial.status(), 200);
}

TEST_F(NativeAsks, ADismissalCarriesItsReasonAndIs409WhereTheAskerForbadeIt) {
    const Reply dismissed =
        ada_.post("/v1/asks/" + bot_.ask() + "/dismiss", R"({"reason":"not now","by":"Ada"})");
    ASSERT_EQ(dismissed.status(), 200);
    EXPECT_EQ(dismissed.text("/state"), "dismissed");
    EXPECT_EQ(dismissed.text("/settlement/note"), "not now");
    const std::string firm = bot_.post("/v1/asks", ask_with(R"(,"dismissible":false)")).text("/id");
    const Reply refused = ada_.post("/v1/asks/" + firm + "/dismiss", "");
    EXPECT_EQ(refused.status(), 409);
    EXPECT_EQ(refused.text("/type"), "urn:parley:problem:conflict");
}

TEST_F(NativeAsks, AnAgentAsksSeesAndWithdrawsItsOwnAndNeverSettlesAsAPerson) {
    Api rival = fixture_.as("rival");
    const std::string id = bot_.ask();
    const std::string path = "/v1/asks/" + id;
    for (const auto* verb : {"/answer", "/dismiss", "/snooze"}) {
        const Reply reply = bot_.post(path + verb, kTea);
        EXPECT_EQ(reply.status(), 403) << verb;
        EXPECT_EQ(reply.text("/type"), "urn:parley:problem:wrong-role");
    }
    EXPECT_EQ(bot_.put(path + "/draft", kTea).status(), 403);

    const Reply hidden = rival.get(path);
    const Reply missing = rival.get(kNoSuchAsk);
    EXPECT_EQ(hidden.status(), 404);
    EXPECT_EQ(missing.status(), 404);
    EXPECT_EQ(hidden.text("/title"), missing.text("/title"));
    EXPECT_EQ(rival.post(path + "/withdraw", "").status(), 404);
    EXPECT_TRUE(rival.get("/v1/asks").json().at("asks").as_array().empty());
    EXPECT_EQ(bot_.get("/v1/asks").json().at("asks").as_array().size(), 1U);
    EXPECT_EQ(ada_.post(path + "/withdraw", "").status(), 403);

    const Reply withdrawn = bot_.post(path + "/withdraw", R"({"reason":"found it"})");
    ASSERT_EQ(withdrawn.status(), 200);
    EXPECT_EQ(withdrawn.text("/state"), "withdrawn");
    EXPECT_EQ(withdrawn.text("/settlement/decider/kind"), "agent");
    EXPECT_EQ(fixture_.as("ada").post("/v1/asks", ask_with("")).status(), 403);
    EXPECT_EQ(owner_.post("/v1/asks", ask_with("")).status(), 201);
}

// A phone that has not seen what the desk wrote is told of it, and overwrites nothing.
TEST_F(NativeAsks, ADraftHasADeviceAndAVersionAndANewerOneIsNotOverwritten) {
    const std::string id = bot_.ask();
    const std::string path = "/v1/asks/" + id + "/draft";
    const auto put = [&](std::string_view text, std::string_view rest) {
        return ada_.put(
            path, fmt::format(R"({{"answers":[{{"selected":[],"other":"{}"}}]{}}})", text, rest));
    };
    const Reply first = put("desk's", R"(,"device":"desk","version":0)");
    EXPECT_EQ(first.status(), 200);
    EXPECT_EQ(first.body,
              R"({"answers":[{"selected":[],"other":"desk's"}],"device":"desk","version":1})");
    const Reply refused = put("phone's", R"(,"device":"phone","version":0)");
    EXPECT_EQ(refused.status(), 409);
    EXPECT_EQ(refused.text("/type"), "urn:parley:problem:draft-newer");
    EXPECT_EQ(refused.text("/draft/device"), "desk");
    EXPECT_EQ(refused.text("/draft/answers/0/other"), "desk's");
    EXPECT_EQ(put("phone's", R"(,"device":"phone","version":1)").json().at("version"), 2);
    EXPECT_EQ(put("a script's", "").json().at("version"), 3);
    for (const char* bad : {R"(,"version":-1)", R"(,"version":"1")", R"(,"device":7)"})
        EXPECT_EQ(put("x", bad).status(), 400) << bad;

    const Reply list = ada_.get("/v1/drafts");
    EXPECT_EQ(list.status(), 200);
    EXPECT_EQ(list.text("/drafts/0/ask"), id);
    EXPECT_EQ(list.text("/drafts/0/answers/0/other"), "a script's");
    EXPECT_EQ(fixture_.as("bob").get("/v1/drafts").body, R"({"drafts":[]})");
    EXPECT_EQ(bot_.get("/v1/drafts").status(), 403);
    EXPECT_EQ(ada_.del(path + "?device=desk").status(), 204);
    EXPECT_EQ(ada_.get("/v1/drafts").body, R"({"drafts":[]})");
    EXPECT_EQ(put("anew", R"(,"version":3)").json().at("version"), 5);
}

TEST_F(NativeAsks, ASnoozeOfNoSecondsEndsOne) {
    const std::string path = "/v1/asks/" + bot_.ask();
    EXPECT_NE(ada_.post(path + "/snooze", R"({"seconds":600})").text("/snoozed_until"), "");
    const Reply shown = ada_.post(path + "/snooze", R"({"seconds":0})");
    EXPECT_EQ(shown.status(), 200);
    EXPECT_EQ(shown.text("/snoozed_until"), "");
    EXPECT_EQ(ada_.get(path).text("/snoozed_until"), "");
    EXPECT_EQ(ada_.post(path + "/snooze", R"({"seconds":-1})").status(), 400);
}

TEST_F(NativeAsks, TheSocketsOwnerIsTheirLoginNameWithUidAndPid) {
    Api local = fixture_.local();
    const Reply settled = local.post("/v1/asks/" + bot_.ask() + "/answer",
                                     R"({"answers":[{"selected":["Tea"]}],"by":"Bob"})");
    EXPECT_EQ(settled.text("/settlement/decider/principal"), fmt::format("uid:{}", ::getuid()));
    EXPECT_EQ(settled.text("/settlement/decider/name"), net::login_name(::getuid()));
    EXPECT_EQ(settled.text("/settlement/decider/claimed"), "Bob");
    const json::Value decider = settled.json().at("settlement").at("decider");
    EXPECT_EQ(decider.at("uid").to_number<std::int64_t>(), ::getuid());
    EXPECT_EQ(decider.at("pid").to_number<std::int64_t>(), ::getpid());
}

TEST_F(NativeAsks, ADraftIsItsRespondersOwnAndOutlastsEverythingButTheEnd) {
    const std::string path = "/v1/asks/" + bot_.ask();
    Api bob = fixture_.as("bob");
    EXPECT_EQ(ada_.get(path + "/draft").status(), 204);
    EXPECT_EQ(
        ada_.put(path + "/draft", R"({"answers":[{"selected":[],"other":"half a"}]})").status(),
        200);
    const Reply kept = ada_.get(path + "/draft");
    EXPECT_EQ(kept.status(), 200);
    EXPECT_EQ(kept.text("/answers/0/other"), "half a");
    EXPECT_EQ(bob.get(path + "/draft").status(), 204);
    EXPECT_EQ(ada_.put(path + "/draft", R"({"answers":"x"})").status(), 400);
    EXPECT_EQ(ada_.del(path + "/draft").status(), 204);
    EXPECT_EQ(ada_.get(path + "/draft").status(), 204);
    EXPECT_EQ(ada_.get(std::string(kNoSuchAsk) + "/draft").status(), 404);
    EXPECT_EQ(ada_.put(std::string(kNoSuchAsk) + "/draft", kTea).status(), 404);
    EXPECT_EQ(ada_.del(std::string(kNoSuchAsk) + "/draft").status(), 404);
}

TEST_F(NativeAsks, ASnoozeLeavesTheAskAsItIs) {
    const std::string path = "/v1/asks/" + bot_.ask();
    const Reply snoozed = ada_.post(path + "/snooze", R"({"seconds":3600})");
    EXPECT_EQ(snoozed.status(), 200);
    EXPECT_EQ(snoozed.text("/state"), "pending");
    EXPECT_EQ(ada_.post(path + "/snooze", R"({"seconds":-1})").status(), 400);
    const Reply ended = ada_.post(path + "/snooze", R"({"seconds":0})");
    EXPECT_EQ(ended.status(), 200);
    EXPECT_EQ(ended.text("/snoozed_until"), "");
    EXPECT_EQ(ada_.get(path).text("/snoozed_until"), "");
    EXPECT_EQ(ada_.post(path + "/snooze", "{}").text("/errors/0/path"), "/seconds");
    EXPECT_EQ(ada_.post(std::string(kNoSuchAsk) + "/snooze", R"({"seconds":1})").status(), 404);
}

TEST_F(NativeAsks, ASnoozeIsToldToWhoSnoozedAndToNobodyElse) {
    const std::string path = "/v1/asks/" + bot_.ask();
    const std::string until =
        ada_.post(path + "/snooze", R"({"seconds":3600})").text("/snoozed_until");
    EXPECT_FALSE(until.empty());
    EXPECT_EQ(ada_.get(path).text("/snoozed_until"), until);
    EXPECT_EQ(ada_.get("/v1/asks").text("/asks/0/snoozed_until"), until);
    EventReader events(ada_, "");
    EXPECT_EQ(events.read_to("snapshot.end").front().text("/ask/snoozed_until"), until);
    Api bob = fixture_.as("bob");
    EXPECT_EQ(bob.get(path).text("/snoozed_until"), "");
    EXPECT_EQ(ada_.post(path + "/answer", R"({"answers":[{"selected":["Tea"]}]})").status(), 200);
    EXPECT_EQ(ada_.get(path).text("/snoozed_until"), "");
}

TEST_F(NativeAsks, ASnoozeIsShownToOnesOtherInboxesAtOnce) {
    Api bob = fixture_.as("bob");
    EventReader mine(ada_, "");
    EventReader his(bob, "");
    mine.read_to("snapshot.end");
    his.read_to("snapshot.end");
    const std::string path = "/v1/asks/" + bot_.ask();
    mine.read_to("ask.opened");
    const std::string until =
        ada_.post(path + "/snooze", R"({"seconds":3600})").text("/snoozed_until");
    const auto told = mine.read_to("ask.snoozed").back();
    EXPECT_EQ("/v1/asks/" + told.text("/ask"), path);
    EXPECT_EQ(told.text("/snoozed_until"), until);
    ada_.post(path + "/snooze", R"({"seconds":0})");
    EXPECT_EQ(mine.read_to("ask.snoozed").back().text("/snoozed_until"), "");
    bot_.post(path + "/withdraw", "{}");
    for (const auto& frame : his.read_to("ask.settled")) EXPECT_NE(frame.type, "ask.snoozed");

    // Who was away meanwhile gets it too, and comes back at any cursor, also at one of another's.
    EventReader again(ada_, "", told.id);
    EXPECT_EQ(again.read_to("ask.settled").front().text("/snoozed_until"), "");
    EventReader his_again(bob, "", told.id);
    EXPECT_EQ(his_again.read_to("ask.settled").size(), 1U);
}

TEST_F(NativeAsks, TheListMayBeginWithTheNewest) {
    const std::string first = bot_.ask();
    const std::string second = bot_.ask();
    const Reply page = ada_.get("/v1/asks?order=newest&limit=1");
    EXPECT_EQ(page.text("/asks/0/id"), second);
    EXPECT_EQ(ada_.get("/v1/asks?order=newest&after=" + page.text("/next")).text("/asks/0/id"),
              first);
    EXPECT_EQ(ada_.get("/v1/asks?order=odd").text("/detail"),
              "?order= must be oldest or newest or settled");
}

// A history: what was decided last comes first, whenever it was asked.
TEST_F(NativeAsks, TheListMayBeginWithTheLastSettlement) {
    std::vector<std::string> asks;
    for (int i = 0; i < 4; ++i) asks.push_back(bot_.ask());
    ada_.post("/v1/asks/" + asks[2] + "/answer", kTea);
    ada_.post("/v1/asks/" + asks[0] + "/dismiss", "{}");
    ada_.post("/v1/asks/" + asks[3] + "/answer", kTea);
    for (const auto* states : {"", "&state=settled", "&state=answered,dismissed"}) {
        const Reply page = ada_.get(fmt::format("/v1/asks?order=settled&limit=2{}", states));
        EXPECT_EQ(page.text("/asks/0/id"), asks[3]) << states;
        EXPECT_EQ(page.text("/asks/1/id"), asks[0]) << states;
        const Reply rest =
            ada_.get(fmt::format("/v1/asks?order=settled{}&after={}", states, page.text("/next")));
        EXPECT_EQ(rest.text("/asks/0/id"), asks[2]) << states;
        EXPECT_TRUE(rest.json().at("next").is_null()) << states;
    }
    EXPECT_EQ(ada_.get("/v1/asks?order=settled&state=answered").text("/asks/1/id"), asks[2]);
    EXPECT_EQ(ada_.get("/v1/asks?order=settled&state=pending").status(), 400);
}

// Waiting.

TEST_F(NativeAsks, AWaitEndsWithTheSettlement) {
    auto asker = bot_.connect();
    asker.send(bot_.encode("POST", "/v1/asks?wait=600", ask_with("")));
    fixture_.wait_until([this] { return fixture_.broker().ledger().pending().size() == 1; });
    const std::string id = ada_.get("/v1/asks").text("/asks/0/id");
    auto watcher = ada_.connect();
    watcher.send(ada_.encode("GET", "/v1/asks/" + id + "?wait=600"));
    fixture_.wait_until([this] { return fixture_.waiting() == 2; });
    ASSERT_EQ(
        ada_.post("/v1/asks/" + id + "/answer", R"({"answers":[{"selected":["A"]}]})").status(),
        200);
    for (RawClient* client : {&asker, &watcher}) {
        const auto answer = client->receive();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status(), 200);
        EXPECT_THAT(answer->body, HasSubstr(R"("state":"answered")"));
    }
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.waiting(); }), 0U);
    EXPECT_EQ(ada_.get("/v1/asks/" + id + "?wait=600").status(), 200);
}

TEST_F(NativeAsks, AWaitThatIsOverSaysHowThingsStand) {
    auto asker = bot_.connect();
    asker.send(bot_.encode("POST", "/v1/asks?wait=5", ask_with(R"(,"key":"k","session":"s")")));
    fixture_.wait_until([this] { return fixture_.waiting() == 1; });
    auto watcher = ada_.connect();
    const std::string id = ada_.get("/v1/asks").text("/asks/0/id");
    watcher.send(ada_.encode("GET", "/v1/asks/" + id + "?wait=10"));
    fixture_.wait_until([this] { return fixture_.waiting() == 2; });
    fixture_.advance(6s);
    EXPECT_EQ(asker.receive()->status(), 202);
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.waiting(); }), 1U);
    fixture_.advance(5s);
    const auto seen = watcher.receive();
    EXPECT_EQ(seen->status(), 200);
    EXPECT_THAT(seen->body, HasSubstr(R"("state":"pending")"));
    // With a wait that is no time at all, at once.
    EXPECT_EQ(bot_.post("/v1/asks?wait=0", ask_with(R"(,"key":"k","session":"s")")).status(), 202);
}

TEST_F(NativeAsks, AWaitSeesTheDeadline) {
    auto asker = bot_.connect();
    asker.send(bot_.encode("POST", "/v1/asks?wait=600", ask_with(R"(,"timeout_seconds":30)")));
    fixture_.wait_until([this] { return fixture_.waiting() == 1; });
    fixture_.advance(31s);
    const auto answer = asker.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status(), 200);
    EXPECT_THAT(answer->body, HasSubstr(R"("state":"timed_out")"));
    EXPECT_THAT(answer->body, HasSubstr(R"("kind":"timer")"));
}

TEST_F(NativeAsks, AWaitEndsWhenTheServerStops) {
    auto asker = bot_.connect();
    asker.send(bot_.encode("POST", "/v1/asks?wait=600", ask_with("")));
    fixture_.wait_until([this] { return fixture_.waiting() == 1; });
    fixture_.begin_drain();
    const auto answer = asker.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status(), 202);
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.waiting(); }), 0U);
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.broker().ledger().pending().size(); }), 1U);
}

TEST_F(NativeAsks, AWaitIsGivenUpWhenItsClientGoesAndOneThatHalfClosedIsTold) {
    auto gone = bot_.connect();
    gone.send(bot_.encode("POST", "/v1/asks?wait=600", ask_with("")));
    auto half = bot_.connect();
    half.send(bot_.encode("POST", "/v1/asks?wait=600", ask_with("")));
    fixture_.wait_until([this] { return fixture_.waiting() == 2; });
    gone.reset();
    half.finish_sending();
    EXPECT_EQ(half.receive()->status(), 202);
    fixture_.wait_until([this] { return fixture_.waiting() == 0; });
    EXPECT_TRUE(fixture_.troubles().empty());
}

// Ninety-nine of a hundred come late, whichever way they come, and are told who was first.
TEST_F(NativeAsks, OfAHundredRacingAnswersOneWinsAndTheOthersAreToldWhich) {
    const std::string target = "/v1/asks/" + bot_.ask() + "/answer";
    Api local = fixture_.local();
    std::deque<std::pair<RawClient, char>> racers;
    for (int i = 0; i < 100; ++i) {
        Api& api = i % 2 == 0 ? ada_ : local;
        std::string bytes =
            api.encode("POST", target,
                       fmt::format(R"({{"answers":[{{"selected":["Tea"]}}],"by":"racer-{}"}})", i));
        racers.emplace_back(api.connect(), bytes.back());
        bytes.pop_back();
        racers.back().first.send(bytes);
    }
    for (auto& [client, last] : racers) client.send({&last, 1});
    std::vector<std::string> winners;
    std::vector<std::string> told;
    for (auto& [client, last] : racers) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer);
        const json::Value document = json::parse(answer->body).value();
        if (answer->status() == 200) {
            winners.push_back(text_at(document, "/settlement/decider/claimed"));
        } else {
            ASSERT_EQ(answer->status(), 409);
            told.push_back(text_at(document, "/ask/settlement/decider/claimed"));
        }
    }
    ASSERT_EQ(winners.size(), 1U);
    EXPECT_EQ(told, std::vector<std::string>(99, winners[0]));
}

TEST_F(NativeAsks, HeadHasTheLengthAndNoBodyAndOtherMethodsAre405) {
    const std::string path = "/v1/asks/" + bot_.ask();
    const Reply head = ada_.call("HEAD", path, {});
    EXPECT_EQ(head.status(), 200);
    EXPECT_EQ(head.header("content-length"), std::to_string(ada_.get(path).body.size()));
    EXPECT_EQ(head.body, "");
    const Reply wrong = ada_.call("PUT", path, "{}");
    EXPECT_EQ(wrong.status(), 405);
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD, OPTIONS");
    EXPECT_EQ(wrong.header("content-type"), "application/problem+json");
}

TEST_F(NativeAsks, AStoreThatCannotBeWrittenIs503AndNothingIsAcknowledged) {
    EXPECT_EQ(ada_.get("/readyz").status(), 200);
    fixture_.break_store(true);
    auto asker = bot_.connect();
    asker.send(bot_.encode("POST", "/v1/asks", ask_with("")));
    fixture_.wait_until([this] { return !fixture_.broker().is_ready(); });
    const auto not_ready = ada_.get("/readyz");
    EXPECT_EQ(not_ready.status(), 503);
    EXPECT_EQ(not_ready.head.fields.get("retry-after"), "1");
    EXPECT_EQ(ada_.get("/healthz").status(), 200);
    const auto refused = asker.receive();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status(), 503);
    EXPECT_THAT(refused->body, HasSubstr("urn:parley:problem:unavailable"));
    EXPECT_EQ(refused->head.fields.get("retry-after"), "1");
    fixture_.break_store(false);
    while (ada_.get("/readyz").status() != 200) fixture_.advance(5s);
    EXPECT_EQ(bot_.post("/v1/asks", ask_with("")).status(), 201);
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.broker().ledger().pending().size(); }), 1U);
}

}  // namespace
}  // namespace parley::door_testing
