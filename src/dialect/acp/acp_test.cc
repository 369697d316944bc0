// SPDX-License-Identifier: Apache-2.0
// What agents of the Agent Client Protocol write, as they were seen to write it, and what they are
// answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/questions.h"
#include "dialect/acp/form.h"
#include "dialect/acp/known_agents.h"
#include "dialect/acp/lines.h"
#include "dialect/acp/stream.h"
#include "dialect/acp/tool_call.h"

namespace parley::acp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

json::Value parsed(std::string_view text) {
    auto value = json::parse(text);
    EXPECT_TRUE(value) << value.error().message;
    return value ? std::move(*value) : json::Value();
}

PermissionWish wish(std::string_view call, std::string_view options) {
    std::string text = R"({"sessionId":"s","toolCall":)";
    return read_permission_wish(
        parsed(text.append(call).append(R"(,"options":)").append(options).append("}")));
}

constexpr std::string_view kShell =
    R"({"toolCallId":"c1","title":"mkdir gg","kind":"execute","rawInput":{"command":"mkdir gg"}})";
constexpr std::string_view kOptions = R"([{"optionId":"a","name":"Allow","kind":"allow_once"},)"
                                      R"({"optionId":"b","name":"Allow","kind":"allow_once"},)"
                                      R"({"optionId":"no","name":"Reject","kind":"reject_once"}])";

Ask settled(AskSpec spec, Settlement settlement) {
    auto checked = check_spec(std::move(spec), kOpenProfile);
    EXPECT_TRUE(checked) << checked.error().message;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*checked));
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    return ask;
}

Ask decided(const PermissionWish& asked, Settlement settlement) {
    AskSpec spec;
    fill_permission(spec, asked, "Gemini CLI");
    return settled(std::move(spec), std::move(settlement));
}

TEST(AcpLines, AnIdComesBackAsItWas) {
    const auto line = read_line(
        R"({"jsonrpc":"2.0","id":"x\"1","method":"session/request_permission","params":{}})");
    ASSERT_TRUE(line);
    const auto& request = std::get<Request>(*line);
    EXPECT_EQ(reply_line(request.id, "{}"),
              "{\"jsonrpc\":\"2.0\",\"id\":\"x\\\"1\",\"result\":{}}\n");
}

TEST(AcpLines, WhatIsNotKnownIsNoiseOrAnUnknownWish) {
    EXPECT_TRUE(std::holds_alternative<Noise>(*read_line(R"({"method":"_auth/status"})")));
    const auto line = read_line(R"({"id":7,"method":"craft/drainMidTurnQueue"})");
    EXPECT_EQ(std::get<UnknownWish>(std::get<Request>(*line).wish).method,
              "craft/drainMidTurnQueue");
    EXPECT_FALSE(read_line("Loaded cached credentials."));
    EXPECT_FALSE(read_line("[]"));
}

TEST(AcpLines, ARefusalSaysAllThatWasSaid) {
    const auto line =
        read_line(R"({"id":3,"error":{"code":-32603,"message":"Internal","data":"no key"}})");
    const auto& reply = std::get<Reply>(*line);
    EXPECT_EQ(reply.code, -32603);
    EXPECT_EQ(reply.error, "Internal: no key");
}

TEST(AcpPermission, OptionsKeepTheirOrderAndLabelsDiffer) {
    const PermissionWish asked = wish(kShell, kOptions);
    AskSpec spec;
    fill_permission(spec, asked, "Gemini CLI");
    ASSERT_EQ(spec.questions[0].options.size(), 3U);
    EXPECT_EQ(spec.questions[0].options[0].label, "Allow");
    EXPECT_EQ(spec.questions[0].options[1].label, "Allow (2)");
    EXPECT_EQ(spec.questions[0].text, "May Gemini CLI run `mkdir gg`?");
    EXPECT_EQ(spec.tool->call_id, "c1");
    const Decision second =
        permission_decision(asked, decided(asked, {.answers = {{.selected = {"Allow (2)"}}}}));
    EXPECT_THAT(second.result, HasSubstr(R"("optionId":"b")"));
    EXPECT_EQ(second.words, "");
}

TEST(AcpPermission, OwnWordsAreADenialThatSaysThemLater) {
    const PermissionWish asked = wish(kShell, kOptions);
    const Decision decision =
        permission_decision(asked, decided(asked, {.answers = {{.other = "use src/"}}}));
    EXPECT_THAT(decision.result, HasSubstr(R"("optionId":"no")"));
    EXPECT_EQ(decision.words, "About “mkdir gg”: use src/");
}

// What is chosen is taken for what was shown: questions that cannot be read, or that stand beside a
// command, do not make a permission into something that any answer allows.
TEST(AcpPermission, QuestionsBesideAPermissionDoNotTurnADenialIntoAnAllowance) {
    for (const std::string_view call :
         {R"({"toolCallId":"c1","title":"x","_meta":{"qwenQuestions":[]}})",
          R"({"toolCallId":"c1","title":"rm -rf /","kind":"execute","rawInput":{"command":"rm"},)"
          R"("_meta":{"qwenQuestions":[{"question":"Tea?","options":[{"label":"Yes"}]}]}})"}) {
        const PermissionWish asked = wish(call, kOptions);
        AskSpec spec;
        fill_permission(spec, asked, "Qwen Code");
        ASSERT_TRUE(spec.permission) << call;
        const std::string deny = spec.questions[0].options.back().label;
        const Decision decision =
            permission_decision(asked, decided(asked, {.answers = {{.selected = {deny}}}}));
        EXPECT_THAT(decision.result, HasSubstr(R"("optionId":"no")")) << call;
    }
}

TEST(AcpPermission, WithoutADenialOnOfferItIsCancelled) {
    const PermissionWish asked =
        wish(kShell, R"([{"optionId":"a","name":"Allow","kind":"allow_once"}])");
    const Decision decision =
        permission_decision(asked, decided(asked, {.outcome = Outcome::dismissed}));
    EXPECT_EQ(decision.result, cancelled_result());
}

TEST(AcpPermission, OnlyToolsOfOursPass) {
    EXPECT_TRUE(is_own_tool(parsed(R"({"title":"mcp__parley__ask_user","kind":"other"})")));
    EXPECT_TRUE(is_own_tool(parsed(R"x({"title":"ask_person (parley MCP Server)"})x")));
    EXPECT_FALSE(is_own_tool(parsed(R"({"title":"parley_ask_user","kind":"execute"})")));
    EXPECT_FALSE(is_own_tool(parsed(R"({"title":"parley_ask_user; rm -rf /"})")));
}

TEST(AcpPermission, AgentsThatTellNoInputAreTakenByTheirTitle) {
    const PermissionRequest request =
        permission_of(parsed(R"({"toolCallId":"1","title":"ls -l","kind":"execute"})"));
    EXPECT_EQ(request.input, R"({"command":"ls -l"})");
}

TEST(AcpToolCall, OfAWholeFileSomeLinesAroundTheChangeAreEnough) {
    std::string before;
    for (int i = 1; i <= 100; ++i) before += std::to_string(i) + "\\n";
    std::string after = before;
    after.replace(after.find("50\\n"), 2, "fifty");
    const json::Value call = parsed(R"({"content":[{"type":"diff","path":"n","oldText":")" +
                                    before + R"(","newText":")" + after + R"("}]})");
    EXPECT_EQ(call_diff(call),
              "--- n\n+++ n\n@@ -1,7 +1,7 @@ from line 47\n 47\n 48\n 49\n-50\n+fifty\n 51\n 52\n"
              " 53\n");
}

constexpr std::string_view kCodexForm =
    R"({"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{)"
    R"("db":{"type":"string","title":"DB","oneOf":[{"const":"SQLite","title":"SQLite"},)"
    R"({"const":"None of the above","title":"None of the above"}]},)"
    R"("db_note":{"type":"string"},"why":{"type":"string"}},"required":["db"]}})";

Decision filled(std::string_view params, Answers answers) {
    const FormWish asked = read_form_wish(parsed(params));
    AskSpec spec;
    EXPECT_TRUE(fill_form(spec, asked, "Codex"));
    auto decision = form_decision(asked, settled(spec, {.answers = std::move(answers)}));
    EXPECT_TRUE(decision);
    return decision ? *decision : Decision{};
}

TEST(AcpForm, AFieldForWordsBelongsToItsQuestion) {
    EXPECT_EQ(filled(kCodexForm, {{.other = "DuckDB"}, {.other = "speed"}}).result,
              R"({"action":"accept","content":{"db":"None of the above","why":"speed",)"
              R"("db_note":"DuckDB"}})");
    EXPECT_EQ(filled(kCodexForm, {{.selected = {"SQLite"}, .note = "v3"}}).result,
              R"({"action":"accept","content":{"db":"SQLite","db_note":"v3"}})");
}

TEST(AcpForm, ANoteThatNoFieldTakesIsSaidLater) {
    const Decision decision =
        filled(kCodexForm, {{.selected = {"SQLite"}}, {.other = "speed", .note = "measured"}});
    EXPECT_EQ(decision.words, "About “why”: measured");
}

TEST(AcpForm, OtherModesAreRefused) {
    AskSpec spec;
    EXPECT_FALSE(fill_form(spec, read_form_wish(parsed(R"({"mode":"video"})")), "x"));
}

std::string text_of(const std::vector<StreamItem>& items) {
    std::string text;
    for (const StreamItem& item : items) {
        if (const auto* delta = std::get_if<PartDelta>(&item))
            text += (delta->is_start ? "+" : "") + delta->text;
        if (const auto* part = std::get_if<StreamPart>(&item))
            text += "<" + std::string(to_string(part->part.kind)) + " " + part->part.part_id + " " +
                    part->part.tool + " " + part->part.body + (part->part.is_error ? "!" : "") +
                    ">";
    }
    return text;
}

TEST(AcpStream, TextEndsWhereSomethingElseBegins) {
    StreamReader reader("r");
    constexpr std::string_view kHello =
        R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}})";
    EXPECT_EQ(text_of(reader.read(parsed(kHello))), "+Hello");
    EXPECT_EQ(text_of(reader.read(parsed(kHello))), "Hello");
    EXPECT_EQ(reader.said(), "HelloHello");
    const std::string plan = text_of(reader.read(parsed(
        R"({"sessionUpdate":"plan","entries":[{"content":"Look","status":"in_progress"}]})")));
    EXPECT_EQ(plan, "<text r-1  ><text r-2  Plan:\n- [>] Look>");
    EXPECT_EQ(text_of(reader.end_turn()), "");
}

TEST(AcpStream, ACallIsShownOnceItsInputIsKnown) {
    StreamReader reader("r");
    EXPECT_EQ(text_of(reader.read(parsed(R"({"sessionUpdate":"tool_call","toolCallId":"c",)"
                                         R"("title":"t","kind":"execute","status":"pending"})"))),
              "");
    EXPECT_EQ(text_of(reader.read(parsed(R"({"sessionUpdate":"tool_call_update","toolCallId":"c",)"
                                         R"("rawInput":{"command":"ls"}})"))),
              R"(<tool_input c shell {"command":"ls"}>)");
    EXPECT_EQ(text_of(reader.read(parsed(R"({"sessionUpdate":"tool_call_update","toolCallId":"c",)"
                                         R"("status":"failed","rawOutput":{"code":2}})"))),
              R"(<tool_output c shell {"code":2}!>)");
    EXPECT_TRUE(reader.known_call("c").is_null());
}

TEST(AcpKnownAgents, EachIsFoundByItsName) {
    for (const KnownAgent& agent : known_agents()) EXPECT_EQ(find_agent(agent.name), &agent);
    EXPECT_EQ(find_agent("nobody"), nullptr);
}

}  // namespace
}  // namespace parley::acp
