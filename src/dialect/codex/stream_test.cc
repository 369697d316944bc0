// SPDX-License-Identifier: Apache-2.0
// The frames below are Codex 0.166's own, with their long ids cut short.
#include "dialect/codex/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_fields.h"
#include "core/printers_test.h"
#include "core/questions.h"
#include "dialect/codex/edits.h"
#include "dialect/codex/threads.h"
#include "dialect/codex/wishes.h"
#include "dialect/limits.h"

namespace parley::codex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Notification news(std::string_view method, std::string_view params) {
    return {std::string(method), json::parse(params).value()};
}

Notification completed(std::string_view item) {
    return news("item/completed", fmt::format(R"({{"threadId":"t1","item":{}}})", item));
}

const Part& part(const StreamItem& item) {
    return std::get<StreamPart>(item).part;
}

constexpr std::string_view kCommand =
    R"({"type":"commandExecution","id":"call_1","command":"/bin/bash -lc 'echo hi; ls /x'",)"
    R"("cwd":"/srv/ada","status":"inProgress","aggregatedOutput":null,"exitCode":null})";
constexpr std::string_view kFailed =
    R"({"type":"commandExecution","id":"call_1","command":"/bin/bash -lc 'echo hi; ls /x'",)"
    R"("cwd":"/srv/ada","status":"failed","aggregatedOutput":"hi\nno such file\n","exitCode":2})";

TEST(CodexStream, WordsGrowAndEndWithoutBeingToldTwice) {
    StreamReader reader("r");
    const auto delta = [&](std::string_view text) {
        return reader.read(news("item/agentMessage/delta",
                                fmt::format(R"({{"itemId":"msg_7","delta":"{}"}})", text)));
    };
    const auto first = delta("All ");
    ASSERT_THAT(first, SizeIs(1));
    EXPECT_TRUE(std::get<PartDelta>(first[0]).is_start);
    EXPECT_FALSE(std::get<PartDelta>(delta("done")[0]).is_start);
    const auto end =
        reader.read(completed(R"({"type":"agentMessage","id":"msg_7","text":"All done"})"));
    ASSERT_THAT(end, SizeIs(1));
    EXPECT_FALSE(std::get<StreamPart>(end[0]).has_body);
    EXPECT_EQ(part(end[0]).part_id, std::get<PartDelta>(first[0]).part_id);
    EXPECT_EQ(reader.said(), "All done");
    EXPECT_THAT(reader.end_turn(), IsEmpty());
}

TEST(CodexStream, WhatATurnLeavesOpenEndsWithIt) {
    StreamReader reader("r");
    (void)reader.read(news("item/agentMessage/delta", R"({"itemId":"msg_7","delta":"All "})"));
    EXPECT_THAT(reader.end_turn(), SizeIs(1));
    EXPECT_THAT(reader.end_turn(), IsEmpty());
}

TEST(CodexStream, TextsThatNeverEndDoNotPileUp) {
    StreamReader reader("r");
    for (std::size_t i = 0; i < 2 * limits::kCodexTextsMax; ++i)
        (void)reader.read(news("item/agentMessage/delta",
                               fmt::format(R"({{"itemId":"msg_{}","delta":"a"}})", i)));
    EXPECT_THAT(reader.end_turn(), SizeIs(limits::kCodexTextsMax));
}

TEST(CodexStream, ThoughtsAreAQuotationAndNoLastWords) {
    StreamReader reader("r");
    const auto items = reader.read(
        completed(R"({"type":"reasoning","id":"rs_1","summary":["**Looking**\n\nfirst","then"]})"));
    ASSERT_THAT(items, SizeIs(1));
    EXPECT_EQ(part(items[0]).body, "> **Looking**\n>\n> first\n>\n> then");
    EXPECT_EQ(reader.said(), "");
    EXPECT_THAT(reader.read(completed(R"({"type":"reasoning","id":"rs_2","summary":[]})")),
                IsEmpty());
}

TEST(CodexStream, APlanIsAListAndToldWhenItChanges) {
    StreamReader reader("r");
    const auto plan = news("turn/plan/updated",
                           R"({"explanation":null,"plan":[{"step":"Look","status":"completed"},)"
                           R"({"step":"Leap","status":"inProgress"},)"
                           R"({"step":"Land","status":"pending"}]})");
    const auto items = reader.read(plan);
    ASSERT_THAT(items, SizeIs(1));
    EXPECT_EQ(part(items[0]).body, "Plan:\n- [x] Look\n- [>] Leap\n- [ ] Land");
    EXPECT_THAT(reader.read(plan), IsEmpty());
    EXPECT_EQ(part(reader.read(completed(R"({"type":"plan","id":"p","text":"# Plan"})"))[0]).body,
              "# Plan");
}

TEST(CodexStream, ACommandIsShownAsTypedAndSaysHowItEnded) {
    StreamReader reader("r");
    const auto begun = reader.read(news("item/started", fmt::format(R"({{"item":{}}})", kCommand)));
    ASSERT_THAT(begun, SizeIs(1));
    EXPECT_EQ(part(begun[0]).tool, "exec_command");
    EXPECT_EQ(part(begun[0]).body,
              R"({"command":"echo hi; ls /x","shell":"/bin/bash -lc","cwd":"/srv/ada"})");
    const auto ended = reader.read(completed(kFailed));
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(part(ended[0]).kind, Part::Kind::tool_output);
    EXPECT_EQ(part(ended[0]).part_id, "call_1");
    EXPECT_EQ(part(ended[0]).body, R"j("hi\nno such file\n(exit status 2)")j");
    EXPECT_TRUE(part(ended[0]).is_error);
}

TEST(CodexStream, ACallOfWhichOnlyTheEndIsToldIsShownWhole) {
    StreamReader reader("r");
    const auto items = reader.read(
        completed(R"({"type":"mcpToolCall","id":"c","server":"parley","tool":"ask_user",)"
                  R"("status":"completed","arguments":{"q":1},)"
                  R"("result":{"content":[{"type":"text","text":"SQLite"}]}})"));
    ASSERT_THAT(items, SizeIs(2));
    EXPECT_EQ(part(items[0]).tool, "mcp__parley__ask_user");
    EXPECT_EQ(part(items[0]).body, R"({"q":1})");
    EXPECT_EQ(part(items[1]).body, R"("SQLite")");
}

TEST(CodexStream, AnEditIsAPatchAndADeclinedOneAnError) {
    StreamReader reader("r");
    const auto items = reader.read(
        completed(R"({"type":"fileChange","id":"c","status":"declined","changes":[{"path":"a.txt",)"
                  R"("kind":{"type":"add"},"diff":"hi\n"}]})"));
    ASSERT_THAT(items, SizeIs(2));
    EXPECT_EQ(part(items[0]).tool, "apply_patch");
    EXPECT_THAT(part(items[0]).body, HasSubstr(R"(*** Add File: a.txt\n+hi\n)"));
    EXPECT_EQ(part(items[1]).body, R"("declined")");
    EXPECT_TRUE(part(items[1]).is_error);
}

TEST(CodexStream, WhatIsNotKnownPassesUnheard) {
    StreamReader reader("r");
    EXPECT_THAT(reader.read(completed(R"({"type":"userMessage","id":"u"})")), IsEmpty());
    EXPECT_THAT(reader.read(completed(R"({"type":"tomorrow","id":"u"})")), IsEmpty());
    EXPECT_THAT(reader.read(news("turn/diff/updated", R"({"diff":""})")), IsEmpty());
    EXPECT_THAT(reader.read(completed("7")), IsEmpty());
}

TEST(CodexRemarks, TryingAgainConcernsEverybodyAndTheSetUpWhoStartedIt) {
    const auto retry = read_remark(
        news("error", R"({"error":{"message":"Reconnecting... 1/5","additionalDetails":"busy"},)"
                      R"("willRetry":true})"));
    EXPECT_EQ(retry.value().text, "Codex tries again: Reconnecting... 1/5 (busy)");
    EXPECT_FALSE(retry->is_of_setup);
    EXPECT_TRUE(read_remark(news("configWarning", R"({"summary":"no bubblewrap"})"))->is_of_setup);
    EXPECT_FALSE(read_remark(news("error", R"({"error":{"message":"x"},"willRetry":false})")));
    EXPECT_THAT(read_remark(news("mcpServer/startupStatus/updated",
                                 R"({"name":"docs","status":"failed","error":"not there"})"))
                    ->text,
                HasSubstr("docs: not there"));
}

TEST(CodexRemarks, ATurnThatFailedSaysWhyAndWhatToDo) {
    const auto end =
        read_turn_end(json::parse(R"({"status":"failed","error":{"message":"401","codexErrorInfo":)"
                                  R"("unauthorized"}})")
                          .value());
    EXPECT_EQ(end.kind, TurnEnd::Kind::failed);
    EXPECT_EQ(end.why, "401; sign in with: codex login");
    EXPECT_EQ(read_turn_end(json::parse(R"({"status":"interrupted"})").value()).kind,
              TurnEnd::Kind::stopped);
}

TEST(CodexRemarks, TokensAreCounted) {
    const auto used = read_usage(
        news("thread/tokenUsage/updated",
             R"({"tokenUsage":{"total":{"totalTokens":30,"inputTokens":20,"outputTokens":10}}})"));
    EXPECT_EQ(used.value().input, 20);
    EXPECT_EQ(used->output, 10);
    EXPECT_FALSE(read_usage(news("warning", "{}")));
}

TEST(CodexEdits, AreKeptUntilTheirTurnEnds) {
    Edits edits;
    edits.note(
        news("item/started", R"({"threadId":"t1","item":{"id":"c","changes":[{"path":"a"}]}})"));
    EXPECT_FALSE(edits.find("t1", "c").is_null());
    EXPECT_TRUE(edits.find("t2", "c").is_null());
    edits.note(news("turn/completed", R"({"threadId":"t1","turn":{}})"));
    EXPECT_TRUE(edits.find("t1", "c").is_null());
}

TEST(CodexThreads, TheServersVariablesAreNamedAndNotTold) {
    const ThreadPlan plan{
        .folder = "/srv/ada",
        .sandbox = "read-only",
        .server = {.command = {"/bin/parley", "mcp"}, .variables = {"PARLEY_TOKEN"}}};
    const auto params = json::parse(start_params(plan)).value();
    EXPECT_EQ(json::text_field(params, "cwd"), "/srv/ada");
    EXPECT_EQ(json::text_field(params, "sandbox"), "read-only");
    EXPECT_TRUE(json::field(params, "model").is_null());
    const json::Value& server = json::field(json::field(params, "config"), "mcp_servers.parley");
    EXPECT_EQ(json::serialize(json::field(server, "env_vars")), R"(["PARLEY_TOKEN"])");
    EXPECT_EQ(json::serialize(json::field(server, "args")), R"(["mcp"])");
    const auto resumed = json::parse(resume_params("t1", plan)).value();
    EXPECT_EQ(json::text_field(resumed, "threadId"), "t1");
    EXPECT_TRUE(json::field(resumed, "cwd").is_null());
}

TEST(CodexThreads, AModeGoesWithItsModel) {
    const std::vector<std::string> texts = {"one", "two"};
    const auto plain = json::parse(turn_params({.thread = "t1"}, texts)).value();
    EXPECT_THAT(*json::list_field(plain, "input"), SizeIs(2));
    EXPECT_TRUE(json::field(plain, "collaborationMode").is_null());
    const auto planned =
        json::parse(turn_params({.thread = "t1", .mode = "plan", .model = "m"}, texts)).value();
    const json::Value& mode = json::field(planned, "collaborationMode");
    EXPECT_EQ(json::text_field(mode, "mode"), "plan");
    EXPECT_EQ(json::text_field(json::field(mode, "settings"), "model"), "m");
}

Wish own_tool(std::string_view server, std::string_view tool) {
    return read_wish(
        {"0", "mcpServer/elicitation/request",
         json::parse(
             fmt::format(R"({{"serverName":"{}","mode":"form","_meta":{{"codex_approval_kind":)"
                         R"("mcp_tool_call"}},"message":"Allow the {} MCP server to run tool )"
                         R"(\"{}\"?","requestedSchema":{{}}}})",
                         server, server, tool))
             .value()});
}

TEST(CodexPassing, OnlyParleysToolsOfParleysServerPass) {
    EXPECT_THAT(pass_result(own_tool("parley", "ask_user")), HasSubstr(R"("action":"accept")"));
    EXPECT_EQ(pass_result(own_tool("evil", "ask_user")), "");
    EXPECT_EQ(pass_result(own_tool("parley", "delete_all")), "");
}

TEST(CodexPassing, AFormOfParleysOwnIsClosedAndNotAnswered) {
    const Wish form = read_wish(
        {"0", "mcpServer/elicitation/request",
         json::parse(R"({"serverName":"parley","mode":"form","message":"?","requestedSchema":{}})")
             .value()});
    EXPECT_THAT(pass_result(form), HasSubstr(R"("action":"cancel")"));
}

Ruling about_plan(Settlement settlement) {
    const Wish wish = plan_wish("t1", "plan-r-1", "# Split it");
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(
        check_spec(make_spec(wish, {}).value(), kOpenProfile).value());
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    return read_ruling(wish, ask).value();
}

TEST(CodexPlans, AreCarriedOutOnlyWhenSomebodyChoosesThat) {
    const Wish wish = plan_wish("t1", "plan-r-1", "# Split it");
    EXPECT_EQ(make_spec(wish, {})->permission->plan, "# Split it");
    EXPECT_TRUE(carries_out(about_plan({.answers = {{.selected = {"Carry it out"}}}}).result));
    EXPECT_FALSE(carries_out(about_plan({.answers = {{.selected = {"Deny"}}}}).result));
    EXPECT_FALSE(carries_out(about_plan({.answers = {{.other = "smaller"}}}).result));
    EXPECT_FALSE(carries_out(about_plan({.outcome = Outcome::dismissed}).result));
    EXPECT_FALSE(carries_out(about_plan({.outcome = Outcome::timed_out}).result));
    EXPECT_FALSE(carries_out(refusal(wish, "no broker").result));
}

TEST(CodexPlans, WordsAboutThemAreToldAndSilenceIsNot) {
    EXPECT_EQ(about_plan({.answers = {{.other = "smaller"}}}).words,
              "About your plan, the user says: smaller");
    EXPECT_EQ(about_plan({.answers = {{.selected = {"Carry it out"}, .note = "today"}}}).words,
              "About your plan, the user says: today");
    EXPECT_EQ(about_plan({.outcome = Outcome::dismissed, .note = "later"}).words,
              "About your plan, the user says: later");
    EXPECT_EQ(about_plan({.outcome = Outcome::dismissed}).words, "");
    EXPECT_EQ(about_plan({.outcome = Outcome::timed_out}).words, "");
}

TEST(CodexQuestions, WithoutAWindowNobodyIsHurried) {
    const Wish wish =
        read_wish({"0", "item/tool/requestUserInput",
                   json::parse(R"({"questions":[{"id":"k","question":"Key?","isSecret":true}],)"
                               R"("isBlocking":false})")
                       .value()});
    EXPECT_THAT(make_spec(wish, {})->context.value(), HasSubstr("two minutes"));
    const std::string alone = make_spec(wish, {.has_window = false})->context.value();
    EXPECT_THAT(alone, HasSubstr("who may read this session"));
    EXPECT_THAT(alone, testing::Not(HasSubstr("two minutes")));
}

}  // namespace
}  // namespace parley::codex
