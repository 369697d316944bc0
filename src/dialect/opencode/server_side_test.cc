// SPDX-License-Identifier: Apache-2.0
// OpenCode's own server as a client of it sees it. The documents are what 1.18.33 sent.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/questions.h"
#include "dialect/limits.h"
#include "dialect/opencode/server_events.h"
#include "dialect/opencode/server_stream.h"
#include "dialect/opencode/wishes.h"

namespace parley::opencode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

json::Value parsed(std::string_view text) {
    return json::parse(text).value();
}

constexpr std::string_view kQuestion =
    R"({"id":"que_1","sessionID":"ses_1","questions":[{"question":"Color?","header":"Color",)"
    R"("options":[{"label":"Blue","description":"b"},{"label":"Red","description":"r"}]}],)"
    R"("tool":{"messageID":"msg_1","callID":"call_1"}})";
constexpr std::string_view kCommand =
    R"({"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["echo hi"],)"
    R"("metadata":{"command":"echo hi"},"always":["echo *"],)"
    R"("tool":{"messageID":"msg_1","callID":"call_2"}})";
constexpr std::string_view kEdit =
    R"({"id":"per_2","sessionID":"ses_1","permission":"edit","patterns":["a.txt"],)"
    R"("metadata":{"filepath":"/srv/a.txt","diff":"--- /srv/a.txt\n+++ /srv/a.txt\n)"
    R"(@@ -0,0 +1 @@\n+one\n"},"always":["*"]})";

Wish question() {
    return read_wish(Wish::Kind::questions, "/srv", parsed(kQuestion)).value();
}
Wish permission(std::string_view text = kCommand) {
    return read_wish(Wish::Kind::permission, "/srv", parsed(text)).value();
}

Ask settled(const Wish& wish, Settlement settlement, const Surroundings& surroundings = {}) {
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(
        check_spec(make_spec(wish, surroundings).value(), kOpenProfile).value());
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    return ask;
}

TEST(OpencodeServerEvents, AnEventComesInAnEnvelopeThatNamesItsFolder) {
    const auto event = read_server_event(
        R"({"directory":"/srv","project":"global","payload":{"id":"evt_1","type":"session.status",)"
        R"("properties":{"sessionID":"ses_1","status":{"type":"retry","attempt":2,)"
        R"("message":"Too Many Requests","next":5}}}})");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->directory, "/srv");
    const auto status = read_status(*event);
    ASSERT_TRUE(status);
    EXPECT_TRUE(status->is_busy);
    EXPECT_EQ(status->retry, "Too Many Requests");
    EXPECT_FALSE(read_server_event("{nope"));
    EXPECT_EQ(read_server_event(R"({"payload":7})")->type, "");
}

TEST(OpencodeServerEvents, AStopIsNoFailure) {
    EXPECT_TRUE(read_error(parsed(R"({"error":{"name":"MessageAbortedError",)"
                                  R"("data":{"message":"Aborted"}}})"))
                    .is_stop);
    const TurnError error = read_error(parsed(R"({"error":{"name":"APIError","data":{}}})"));
    EXPECT_FALSE(error.is_stop);
    EXPECT_EQ(error.text, "APIError");
    EXPECT_EQ(read_error(parsed(R"({"error":{"name":"UnknownError","data":{)"
                                R"("message":"Model not found\n    at run"
}
}
})"))
                  .text,
              "Model not found");
}

TEST(OpencodeServerEvents, SubAgentsAreNotSpokenTo) {
    EXPECT_THAT(read_agents(parsed(R"([{"name":"build","mode":"primary"},)"
                                   R"({"name":"general","mode":"subagent"},{"name":"mine",)"
                                   R"("mode":"all"},{"name":"title","mode":"primary",)"
                                   R"("hidden":true}])")),
                ElementsAre("build", "mine"));
}

TEST(OpencodeServerEvents, WhoDrivesASessionIsKeptWithIt) {
    const std::string body = new_session_body("", "run-7");
    EXPECT_EQ(body, R"({"metadata":{"parley":"run-7"}})");
    const SessionFacts facts = read_session_facts(
        parsed(R"({"id":"ses_2","title":"a sub-agent","directory":"/srv",)"
               R"("parentID":"ses_1","agent":"general","metadata":{"parley":"run-7"}})"));
    EXPECT_EQ(facts.parent, "ses_1");
    EXPECT_EQ(facts.driver, "run-7");
}

TEST(OpencodeServerEvents, WhoIsAtWorkIsInTheStatus) {
    EXPECT_THAT(read_busy(parsed(R"({"ses_1":{"type":"busy"},"ses_2":{"type":"idle"},)"
                                 R"("ses_3":{"type":"retry"}})")),
                ElementsAre("ses_1", "ses_3"));
}

TEST(OpencodeServerEvents, APromptNamesModelAndAgentOnlyIfAsked) {
    EXPECT_EQ(prompt_body({"go"}, {}), R"({"parts":[{"type":"text","text":"go"}]})");
    EXPECT_EQ(prompt_body({"go"}, {.model = "ours/a/b", .agent = "plan"}),
              R"({"parts":[{"type":"text","text":"go"}],"model":{"providerID":"ours",)"
              R"("modelID":"a/b"},"agent":"plan"})");
}

TEST(OpencodeServerEvents, AMarkedPromptIsFoundAgain) {
    const std::string body = prompt_body({"go"}, {}, "1-2");
    EXPECT_EQ(body, R"({"parts":[{"type":"text","text":"go","metadata":{"parley":"1-2"}}]})");
    const json::Value messages = parsed(fmt::format(R"([{{"info":{{}}}},{}])", body));
    EXPECT_TRUE(has_marked(messages, "1-2"));
    EXPECT_FALSE(has_marked(messages, "1-3"));
    EXPECT_FALSE(has_marked(parsed("{}"), "1-2"));
}

TEST(OpencodeWishes, AListThatIsNoneIsTold) {
    EXPECT_FALSE(read_wishes(Wish::Kind::questions, "/srv", parsed(R"("<!doctype html>")")));
    const auto wishes = read_wishes(Wish::Kind::questions, "/srv",
                                    parsed(fmt::format("[{},{{\"id\":\"que_2\"}}]", kQuestion)));
    ASSERT_TRUE(wishes);
    EXPECT_THAT(*wishes, SizeIs(1));
    EXPECT_EQ(wishes->front().directory, "/srv");
}

TEST(OpencodeWishes, AQuestionIsAskedAndAnsweredInItsOrder) {
    const Ask ask = settled(question(), {.answers = {{.selected = {"Blue"}, .note = "for now"}}});
    EXPECT_EQ(ask.spec->questions.front().text, "Color?");
    EXPECT_EQ(ask.spec->context, std::nullopt);
    const Ruling ruling = read_ruling(question(), ask);
    EXPECT_EQ(ruling.path, "/question/que_1/reply");
    EXPECT_EQ(ruling.body, R"({"answers":[["Blue","note: for now"]]})");
    EXPECT_EQ(ruling.words, "");
}

TEST(OpencodeWishes, OwnWordsAreAnAnswerAndNothingIsAnEmptyOne) {
    EXPECT_EQ(read_ruling(question(), settled(question(), {.answers = {{.other = "Green"}}})).body,
              R"({"answers":[["Green"]]})");
    EXPECT_EQ(read_ruling(question(), settled(question(), {.answers = {{}}})).body,
              R"({"answers":[[]]})");
}

TEST(OpencodeWishes, ADismissalIsARejectionAndItsWordsFollow) {
    const Ruling plain =
        read_ruling(question(), settled(question(), {.outcome = Outcome::dismissed}));
    EXPECT_EQ(plain.path, "/question/que_1/reject");
    EXPECT_EQ(plain.body, "");
    EXPECT_EQ(plain.words, "");
    const Ruling told = read_ruling(
        question(), settled(question(), {.outcome = Outcome::dismissed, .note = "tomorrow"}));
    EXPECT_EQ(told.words, "About “Color?”: tomorrow");
    const Ruling late =
        read_ruling(question(), settled(question(), {.outcome = Outcome::timed_out}));
    EXPECT_EQ(late.path, "/question/que_1/reject");
    EXPECT_THAT(late.words, Not(IsEmpty()));
}

TEST(OpencodeWishes, QuestionsThatCannotBeShownSayWhy) {
    Wish wish = question();
    wish.request = parsed(R"({"questions":[]})");
    EXPECT_FALSE(make_spec(wish, {}));
}

TEST(OpencodeWishes, APermissionShowsItsPatternsAndWhatAlwaysWouldLetThrough) {
    Surroundings surroundings;
    read_call(permission(),
              parsed(R"({"parts":[{"type":"text"},{"type":"tool","tool":"bash","callID":"call_2",)"
                     R"("state":{"status":"running","input":{"command":"echo hi",)"
                     R"("description":"say hi"}}}]})"),
              surroundings);
    EXPECT_EQ(surroundings.tool, "bash");
    surroundings.sub_agent = "sub (@general subagent)";
    const AskSpec spec = make_spec(permission(), surroundings).value();
    EXPECT_EQ(spec.permission->summary, "echo hi");
    EXPECT_EQ(spec.questions.front().text, "May OpenCode run `echo hi`?");
    EXPECT_THAT(*spec.context, HasSubstr("sub (@general subagent)"));
    EXPECT_THAT(*spec.context, HasSubstr("`bash` for:\n\n    echo hi"));
    ASSERT_THAT(spec.questions.front().options, SizeIs(3));
    EXPECT_THAT(spec.questions.front().options[1].description, HasSubstr("bash for echo *"));
}

TEST(OpencodeWishes, ARuleThatCannotBeSeenWholeIsNotOffered) {
    Wish wish = permission();
    wish.request.as_object()["always"] = {std::string(limits::kRuleTextChars + 1, 'x')};
    const AskSpec spec = make_spec(wish, {}).value();
    ASSERT_THAT(spec.questions.front().options, SizeIs(2));
    EXPECT_EQ(spec.questions.front().options.back().label, "Deny");
}

TEST(OpencodeWishes, APermissionWithoutItsCallShowsAllThatIsSaidOfIt) {
    const std::string command = "echo " + std::string(limits::kRuleTextChars * 3, 'x') + "; rm a";
    Wish wish = permission();
    wish.request.as_object()["patterns"] = {command, "rm a"};
    wish.request.as_object()["metadata"] = {{"command", command}, {"workdir", "/srv/ada"}};
    const AskSpec spec = make_spec(wish, {}).value();
    const json::Value input = parsed(spec.permission->input);
    EXPECT_EQ(input.at("command").as_string(), command);
    EXPECT_EQ(input.at("workdir").as_string(), "/srv/ada");
    EXPECT_EQ(input.at("patterns").at(0).as_string(), command);
    EXPECT_EQ(input.at("patterns").at(1).as_string(), "rm a");
    wish.request.as_object()["metadata"] = {{"patterns", "of its own"}};
    EXPECT_EQ(parsed(make_spec(wish, {}).value().permission->input)
                  .at("metadata")
                  .at("patterns")
                  .as_string(),
              "of its own");
}

TEST(OpencodeWishes, AnEditWithoutItsCallShowsItsDiff) {
    const AskSpec spec = make_spec(permission(kEdit), {}).value();
    EXPECT_THAT(spec.permission->diff.value_or(""), HasSubstr("+one"));
    EXPECT_EQ(spec.permission->tool, "edit");
}

TEST(OpencodeWishes, APermissionIsDecidedInItsOwnWords) {
    const auto body = [](const Answer& answer) {
        return read_ruling(permission(), settled(permission(), {.answers = {answer}})).body;
    };
    EXPECT_EQ(body({.selected = {"Allow once"}}), R"({"reply":"once"})");
    EXPECT_EQ(body({.selected = {"Allow for this session"}}), R"({"reply":"always"})");
    EXPECT_EQ(body({.selected = {"Deny"}}), R"({"reply":"reject"})");
    EXPECT_EQ(body({.selected = {"Deny"}, .note = "use ls"}),
              R"({"reply":"reject","message":"use ls"})");
    EXPECT_EQ(body({.other = "use ls"}), R"({"reply":"reject","message":"use ls"})");
}

TEST(OpencodeWishes, WordsBesideALeaveFollow) {
    const Ruling ruling = read_ruling(
        permission(),
        settled(permission(), {.answers = {{.selected = {"Allow once"}, .note = "be quick"}}}));
    EXPECT_EQ(ruling.body, R"({"reply":"once"})");
    EXPECT_EQ(ruling.words, "About “echo hi”: be quick");
}

TEST(OpencodeWishes, NoEndButAChoiceIsALeave) {
    for (const Outcome outcome : {Outcome::dismissed, Outcome::timed_out, Outcome::withdrawn})
        EXPECT_THAT(read_ruling(permission(), settled(permission(), {.outcome = outcome})).body,
                    HasSubstr(R"("reply":"reject")"));
}

TEST(OpencodeWishes, OurOwnToolsPass) {
    Wish wish = permission();
    EXPECT_FALSE(is_own(wish));
    wish.request.as_object()["permission"] = "parley_ask_user";
    EXPECT_TRUE(is_own(wish));
    EXPECT_EQ(passing(wish).body, R"({"reply":"once"})");
    EXPECT_FALSE(is_own(question()));
}

TEST(OpencodeWishes, AnAnswerThatOpenCodeWouldCutIsKnown) {
    Ruling ruling{.path = "/question/que_1/reply", .body = R"({"answers":[["a\nb"]]})"};
    EXPECT_FALSE(is_cut(ruling));
    ruling.body.append(limits::kOpencodeAnswerBytes, 'x');
    EXPECT_TRUE(is_cut(ruling));
}

// The stream of one session, told in events.
class OpencodeStream : public testing::Test {
protected:
    // Each item as "kind id text".
    std::vector<std::string> told(std::string_view type, std::string_view properties) {
        return shown(stream_.read({"/srv", std::string(type), parsed(properties)}));
    }
    static std::vector<std::string> shown(const std::vector<StreamItem>& items) {
        std::vector<std::string> all;
        for (const StreamItem& item : items) {
            if (const auto* delta = std::get_if<PartDelta>(&item))
                all.push_back(fmt::format("{} {} {}", delta->is_start ? "start" : "delta",
                                          delta->part_id, delta->text));
            if (const auto* part = std::get_if<StreamPart>(&item))
                all.push_back(fmt::format("{}{} {} {}", to_string(part->part.kind),
                                          part->part.is_error ? "!" : "", part->part.part_id,
                                          part->has_body ? part->part.body : "-"));
        }
        return all;
    }

    ServerStream stream_{"ses_1"};
};

TEST_F(OpencodeStream, ATextGrowsAndEnds) {
    EXPECT_THAT(told("message.part.updated",
                     R"({"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_2",)"
                     R"("type":"text","text":"","time":{"start":1}}})"),
                IsEmpty());
    const auto delta = [this](std::string_view text) {
        return told("message.part.delta",
                    fmt::format(R"({{"sessionID":"ses_1","messageID":"msg_2","partID":"prt_1",)"
                                R"("field":"text","delta":"{}"}})",
                                text));
    };
    EXPECT_THAT(delta("Hel"), ElementsAre("start prt_1 Hel"));
    EXPECT_THAT(delta("lo"), ElementsAre("delta prt_1 lo"));
    EXPECT_THAT(told("message.part.updated",
                     R"({"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_2",)"
                     R"("type":"text","text":"Hello","time":{"start":1,"end":2}}})"),
                ElementsAre("text prt_1 -"));
    EXPECT_EQ(stream_.said(), "Hello");
    EXPECT_THAT(stream_.end_turn(), IsEmpty());
    EXPECT_EQ(stream_.said(), "");
}

TEST_F(OpencodeStream, WhatOfATextWasMissedIsToldAtItsEnd) {
    const auto part = [this](std::string_view text, std::string_view time) {
        return told("message.part.updated",
                    fmt::format(R"({{"sessionID":"ses_1","part":{{"id":"prt_1",)"
                                R"("type":"text","text":"{}","time":{}}}}})",
                                text, time));
    };
    EXPECT_THAT(part("Hel", R"({"start":1})"), ElementsAre("start prt_1 Hel"));
    EXPECT_THAT(part("Hello", R"({"start":1,"end":2})"),
                ElementsAre("delta prt_1 lo", "text prt_1 -"));
    EXPECT_THAT(part("Again", R"({"start":1,"end":2})"), ElementsAre("text prt_1 Again"));
}

TEST_F(OpencodeStream, AnOlderServersWholeTextsBecomeTheirDifference) {
    const auto whole = [this](std::string_view text) {
        return told("message.part.updated",
                    fmt::format(R"({{"sessionID":"ses_1","part":{{"id":"prt_1",)"
                                R"("type":"text","text":"{}","time":{{"start":1}}}}}})",
                                text));
    };
    EXPECT_THAT(whole("Hel"), ElementsAre("start prt_1 Hel"));
    EXPECT_THAT(whole("Hello"), ElementsAre("delta prt_1 lo"));
    EXPECT_THAT(shown(stream_.end_turn()), ElementsAre("text prt_1 -"));
}

TEST_F(OpencodeStream, AThoughtIsMarkedAndIsNoLastWord) {
    EXPECT_THAT(told("message.part.updated",
                     R"({"sessionID":"ses_1","part":{"id":"prt_1","type":"reasoning",)"
                     R"("text":"hmm","time":{"start":1,"end":2}}})"),
                ElementsAre("text prt_1 Thinking: hmm"));
    EXPECT_EQ(stream_.said(), "");
}

TEST_F(OpencodeStream, ACallHasItsInputOnceAndItsOutputWithADiff) {
    const auto part = [this](std::string_view state) {
        return told("message.part.updated",
                    fmt::format(R"({{"sessionID":"ses_1","part":{{"type":"tool","tool":"edit",)"
                                R"("callID":"call_1","id":"prt_1","state":{}}}}})",
                                state));
    };
    EXPECT_THAT(part(R"({"status":"pending","input":{},"raw":""})"), IsEmpty());
    const auto* running = R"({"status":"running","input":{"filePath":"a"},"metadata":{}})";
    EXPECT_THAT(part(running), ElementsAre(R"(tool_input call_1 {"filePath":"a"})"));
    EXPECT_THAT(part(running), IsEmpty());
    EXPECT_THAT(part(R"({"status":"completed","input":{"filePath":"a"},"output":"Done.",)"
                     R"("metadata":{"diff":"+one\n"}})"),
                ElementsAre(R"(tool_output call_1 {"text":"Done.","diff":"+one\n"})"));
}

TEST_F(OpencodeStream, ACallThatFailsSaysSo) {
    EXPECT_THAT(told("message.part.updated",
                     R"({"sessionID":"ses_1","part":{"type":"tool","tool":"question",)"
                     R"("callID":"call_1","state":{"status":"error","input":{"questions":[]},)"
                     R"("error":"The user dismissed this question"}}})"),
                ElementsAre(R"(tool_input call_1 {"questions":[]})",
                            R"(tool_output! call_1 "The user dismissed this question")"));
}

TEST_F(OpencodeStream, WhatPeopleSayIsNotTheAgents) {
    (void)told("message.updated", R"({"sessionID":"ses_1","info":{"id":"msg_1","role":"user"}})");
    const ServerEvent event{
        "/srv", "message.part.updated",
        parsed(R"({"sessionID":"ses_1","part":{"id":"prt_1","messageID":"msg_1","type":"text",)"
               R"("text":"go"}})")};
    EXPECT_THAT(stream_.read(event), IsEmpty());
    EXPECT_EQ(stream_.told(event), "go");
}

TEST_F(OpencodeStream, ThingsToDoAreAPlanTheFirstTimeEachWay) {
    const auto* todos =
        R"({"sessionID":"ses_1","todos":[{"content":"A","status":"in_progress","priority":"high"},)"
        R"({"content":"B","status":"pending","priority":"low"}]})";
    EXPECT_THAT(told("todo.updated", todos),
                ElementsAre("text plan-ses_1-1 Plan:\n- [>] A\n- [ ] B"));
    EXPECT_THAT(told("todo.updated", todos), IsEmpty());
}

TEST_F(OpencodeStream, OtherSessionsAndUnknownEventsPassUnheard) {
    EXPECT_THAT(told("message.part.updated",
                     R"({"sessionID":"ses_2","part":{"id":"prt_1","type":"text","text":"x",)"
                     R"("time":{"end":1}}})"),
                IsEmpty());
    EXPECT_THAT(told("plugin.added", R"({"sessionID":"ses_1"})"), IsEmpty());
}

}  // namespace
}  // namespace parley::opencode
