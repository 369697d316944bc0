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

TEST(AcpLines, ModesStandInAPlaceOfTheirOwnOrAmongTheOptions) {
    const Modes own = read_modes(parsed(
        R"({"modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"plan"}]}})"));
    EXPECT_EQ(own.current, "ask");
    EXPECT_THAT(own.known, ElementsAre("ask", "plan"));
    EXPECT_THAT(mode_line(3, "s", own, "plan"), HasSubstr(R"("session/set_mode")"));
    const Modes option = read_modes(parsed(
        R"({"configOptions":[{"id":"model","category":"model","currentValue":"m"},)"
        R"({"id":"m1","category":"mode","currentValue":"build","options":[{"value":"build"},)"
        R"({"name":"g","options":[{"value":"plan"}]}]}]})"));
    EXPECT_EQ(option.current, "build");
    EXPECT_THAT(option.known, ElementsAre("build", "plan"));
    EXPECT_THAT(mode_line(3, "s", option, "plan"),
                HasSubstr(R"("session/set_config_option","params":)"
                          R"({"sessionId":"s","configId":"m1","value":"plan"})"));
}

TEST(AcpLines, AModeThatIsAnAddressIsFoundByItsEnd) {
    const Modes modes{.current = {}, .known = {"https://example.org/modes#plan", "ask"}};
    EXPECT_EQ(find_mode(modes, "plan"), &modes.known[0]);
    EXPECT_EQ(find_mode(modes, "ask"), &modes.known[1]);
    EXPECT_EQ(find_mode(modes, "modes#plan"), nullptr);
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

// An allowance covers what was seen, so all of it is: also what is beside an edit or is no text.
TEST(AcpPermission, NothingOfWhatIsPermittedIsLeftOut) {
    AskSpec spec;
    fill_permission(spec,
                    wish(R"({"toolCallId":"c","title":"Edit /a, then run it","kind":"edit",)"
                         R"("content":[{"type":"diff","path":"/a","newText":"x\n"},)"
                         R"({"type":"content","content":{"type":"image","data":""}}]})",
                         kOptions),
                    "Gemini CLI");
    EXPECT_THAT(spec.permission->diff.value_or(""), HasSubstr("+x"));
    EXPECT_EQ(spec.context, "Edit /a, then run it\n\n(image)");
}

TEST(AcpPermission, ACallOfWhichNothingIsToldSaysSo) {
    AskSpec spec;
    fill_permission(spec, wish(R"({"toolCallId":"c"})", kOptions), "Gemini CLI");
    EXPECT_EQ(spec.context, "Gemini CLI does not say what it is about to do.");
}

TEST(AcpPermission, WithoutADenialOnOfferItIsCancelled) {
    const PermissionWish asked =
        wish(kShell, R"([{"optionId":"a","name":"Allow","kind":"allow_once"}])");
    const Decision decision =
        permission_decision(asked, decided(asked, {.outcome = Outcome::dismissed}));
    EXPECT_EQ(decision.result, cancelled_result());
}

TEST(AcpPermission, OnlyToolsOfOursPass) {
    EXPECT_TRUE(is_own_tool(parsed(R"({"name":"mcp__parley__ask_user","kind":"other"})")));
    EXPECT_TRUE(is_own_tool(
        parsed(R"({"title":"parley_wait_answer","kind":"other","rawInput":{"ask_id":"que_1"}})")));
    EXPECT_TRUE(is_own_tool(
        parsed(R"({"title":"parley-ask_user","rawInput":{"questions":[],"blocking":false}})")));
    EXPECT_FALSE(is_own_tool(
        parsed(R"({"title":"parley_ask_user","kind":"execute","rawInput":{"questions":[]}})")));
    EXPECT_FALSE(is_own_tool(
        parsed(R"({"title":"parley_ask_user; rm -rf /","rawInput":{"questions":[]}})")));
    EXPECT_FALSE(is_own_tool(
        parsed(R"({"title":"parley/ask_user","rawInput":{"command":"parley/ask_user"}})")));
}

// Gemini CLI tells the input as a text, shortened if it is long.
TEST(AcpPermission, AToolOfOursWhoseInputIsATextPasses) {
    const auto is_own = [](std::string_view text) {
        return is_own_tool(
            parsed(R"x({"title":"ask_person (parley MCP Server)","kind":"other","content":[)x"
                   R"({"type":"content","content":{"type":"text","text":)" +
                   json::quoted(text) + "}}]}"));
    };
    EXPECT_TRUE(is_own(R"({"questions":[{"question":"Tea?"}]})"));
    EXPECT_TRUE(
        is_own("[Payload omitted due to length with parameters: questions, context, blocking]"));
    EXPECT_FALSE(is_own(R"x({"command":"ask_person (parley MCP Server)","script":"rm"})x"));
    EXPECT_FALSE(is_own("[Payload omitted due to length with parameters: command, questions]"));
    EXPECT_FALSE(is_own("[Payload omitted due to length]"));
    EXPECT_FALSE(is_own("[Payload omitted due to length with parameters: questions, ...]"));
}

// A title may be what a model or a page wrote.
TEST(AcpPermission, ATitleAloneDoesNotPass) {
    EXPECT_FALSE(is_own_tool(parsed(R"({"title":"parley_ask_user","kind":"other"})")));
    EXPECT_FALSE(is_own_tool(
        parsed(R"({"title":"parley_ask_user","kind":"other","rawInput":{"url":"http://x/"}})")));
    EXPECT_FALSE(is_own_tool(
        parsed(R"({"title":"parley_ask_user","kind":"fetch","rawInput":{"questions":[]}})")));
}

// OpenCode wants it permitted before it tells the input, and has no other title for it then.
TEST(AcpPermission, UnlessItsAgentHasNoOtherTitles) {
    const auto facts = [](std::string_view name) {
        return read_facts(parsed(fmt::format(R"({{"agentInfo":{{"name":"{}"}}}})", name)));
    };
    EXPECT_TRUE(facts("OpenCode").titles_are_names);
    EXPECT_FALSE(facts("gemini-cli").titles_are_names);
    const auto is_own = [](std::string_view call) { return is_own_tool(parsed(call), true); };
    EXPECT_TRUE(is_own(R"({"title":"parley_ask_user","kind":"other","rawInput":{}})"));
    EXPECT_FALSE(
        is_own(R"({"title":"parley_ask_user","kind":"other","rawInput":{"query":"parley_ask"}})"));
}

// Beside an editor nobody brings the agent a message.
TEST(AcpPermission, WhereWordsStayNoneArePromised) {
    AskSpec spec;
    fill_permission(spec, wish(kShell, kOptions), "Gemini CLI", Words::stay);
    EXPECT_FALSE(spec.questions[0].custom);
    EXPECT_EQ(spec.questions[0].options.back().description,
              "It is told no more; words of yours stay here");
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

// As Claude Code's adapter asks its questions.
TEST(AcpForm, TheWordsAroundASingleChoiceAreItsQuestion) {
    AskSpec spec;
    const FormWish asked = read_form_wish(parsed(
        R"({"mode":"form","message":"Which one?","requestedSchema":{"type":"object","properties":{)"
        R"("q":{"type":"string","title":"DB","oneOf":[{"const":"a"},{"const":"b"}]},)"
        R"("q_custom":{"type":"string","title":"Other"}}}})"));
    ASSERT_TRUE(fill_form(spec, asked, "Claude", "not that"));
    ASSERT_EQ(spec.questions.size(), 1U);
    EXPECT_EQ(spec.questions[0].text, "Which one?");
    EXPECT_EQ(spec.questions[0].header, "DB");
    EXPECT_EQ(spec.context, "not that");
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

constexpr std::string_view kShellWanted =
    R"({"toolCallId":"c","title":"List","kind":"execute","status":"pending",)"
    R"("rawInput":{"command":"ls"}})";

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

TEST(AcpStream, WhatASessionHasIsNotOfATurn) {
    EXPECT_TRUE(is_of_turn(parsed(R"({"sessionUpdate":"agent_thought_chunk"})")));
    EXPECT_TRUE(is_of_turn(parsed(R"({"sessionUpdate":"tool_call_update"})")));
    EXPECT_FALSE(is_of_turn(parsed(R"({"sessionUpdate":"available_commands_update"})")));
    EXPECT_FALSE(is_of_turn(parsed(R"({"sessionUpdate":"current_mode_update"})")));
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
}

// An input that is yet to come is none; the one that is permitted is shown.
TEST(AcpStream, AnInputThatComesWithThePermissionIsTheOneThatIsShown) {
    StreamReader reader("r");
    EXPECT_EQ(text_of(reader.read(
                  parsed(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"Shell",)"
                         R"("kind":"execute","status":"pending","rawInput":{"cwd":"/a"}})"))),
              "");
    std::vector<StreamItem> items;
    (void)reader.read_wanted(parsed(kShellWanted), items);
    EXPECT_EQ(text_of(items), R"(<tool_input c shell {"cwd":"/a","command":"ls"}>)");
    EXPECT_EQ(text_of(reader.read(parsed(R"({"sessionUpdate":"tool_call_update","toolCallId":"c",)"
                                         R"("status":"completed","rawOutput":{"code":0}})"))),
              R"(<tool_output c shell {"code":0}>)");
}

// What a permission leaves out, or empty, was told before; also while a session was loaded.
TEST(AcpStream, APermissionIsShownWithAllThatWasToldOfItsCall) {
    constexpr std::string_view kTold =
        R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"edit",)"
        R"("rawInput":{"path":"/a"},"content":[{"type":"diff","path":"/a","newText":"x\n"}]})";
    for (const bool is_loaded : {false, true}) {
        StreamReader reader("r");
        if (is_loaded) reader.recall(parsed(kTold));
        if (!is_loaded) (void)reader.read(parsed(kTold));
        std::vector<StreamItem> items;
        const PermissionRequest request = permission_of(reader.read_wanted(
            parsed(R"({"toolCallId":"c","title":null,"rawInput":{},"content":[]})"), items));
        EXPECT_EQ(request.input, R"({"path":"/a"})");
        EXPECT_THAT(request.diff.value_or(""), HasSubstr("+x"));
        EXPECT_EQ(text_of(items), "");
    }
}

// Parley's own server numbers its fields from 0 and names the ask; nobody else's form is taken for
// one.
TEST(AcpForm, FormsOfParleysOwnAreKnown) {
    const auto is_own = [](std::string_view params) {
        return is_own_form(read_form_wish(parsed(params)));
    };
    EXPECT_TRUE(is_own(R"({"mode":"form","requestedSchema":{"properties":)"
                       R"({"q0":{},"q0_other":{},"q1_0":{},"q1_1":{}}}})"));
    EXPECT_FALSE(is_own(R"({"mode":"form","requestedSchema":{"properties":{"q1":{},"q2":{}}}})"));
    EXPECT_FALSE(is_own(R"({"mode":"form","requestedSchema":{"properties":{"q0":{},"qty":{}}}})"));
    EXPECT_TRUE(is_own(R"({"mode":"url","url":"http://localhost:7373/",)"
                       R"("elicitationId":"que_01m7njpp2c0as0pc3caddgta1p"})"));
    EXPECT_FALSE(is_own(R"({"mode":"url","url":"http://localhost/","elicitationId":"el_1"})"));
}

TEST(AcpKnownAgents, EachIsFoundByItsName) {
    for (const KnownAgent& agent : known_agents()) EXPECT_EQ(find_agent(agent.name), &agent);
    EXPECT_EQ(find_agent("nobody"), nullptr);
}

}  // namespace
}  // namespace parley::acp
