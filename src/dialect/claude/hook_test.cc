// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/hook.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/questions.h"
#include "core/settle.h"
#include "dialect/claude/control.h"
#include "dialect/claude/permission.h"

namespace parley::claude {
namespace {

constexpr std::string_view kHookInput =
    R"({"questions":[{"question":"Which database?","header":"DB","multiSelect":false,)"
    R"("options":[{"label":"PostgreSQL","description":"a"},)"
    R"({"label":"SQLite","description":"b"}]}]})";

HookCall call(std::string_view event, std::string_view tool = "AskUserQuestion",
              std::string_view input = kHookInput, std::string_view more = "") {
    auto read = read_hook_call(fmt::format(
        R"({{"session_id":"s1","prompt_id":"p1","cwd":"/srv/shop","hook_event_name":"{}",)"
        R"("tool_name":"{}","tool_input":{}{}}})",
        event, tool, input, more));
    EXPECT_TRUE(read) << read.error().message;
    return std::move(*read);
}

HookAsk asked(const HookCall& hook, const HookRules& rules = {}, std::string_view nonce = "n") {
    auto plan = plan_hook(hook, rules, nonce);
    EXPECT_TRUE(plan && std::holds_alternative<HookAsk>(*plan));
    return std::get<HookAsk>(std::move(*plan));
}

Ask settled(const HookCall& hook, Settlement settlement) {
    auto spec = check_spec(asked(hook).request.spec, kOpenProfile);
    EXPECT_TRUE(spec) << spec.error().message;
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(*spec));
    ask.settlement = std::make_shared<const Settlement>(std::move(settlement));
    return ask;
}

std::string said(const HookCall& hook, Settlement settlement, const HookRules& rules = {}) {
    auto output = hook_output(hook, rules, settled(hook, std::move(settlement)));
    EXPECT_TRUE(output) << output.error().message;
    return *output;
}

const std::string kAnswered = std::string(kHookInput.substr(0, kHookInput.size() - 1)) +
                              R"(,"answers":{"Which database?":"SQLite"}})";

TEST(ClaudeHook, KeepsOutOfWhatAsksThroughParleyAlready) {
    const auto keeps_out = [](const HookCall& hook) {
        const auto plan = plan_hook(hook, {}, "n");
        return plan && std::holds_alternative<std::monostate>(*plan);
    };
    for (const std::string_view tool :
         {"mcp__parley__ask_user", "mcp__parley__ask_person", "mcp__parley__consult",
          "mcp__people__ask_user", "mcp__people__ask_person", "mcp__people__wait_answer",
          "mcp__people__notify_user"}) {
        EXPECT_TRUE(keeps_out(call("PermissionRequest", tool, "{}"))) << tool;
        EXPECT_TRUE(keeps_out(call("PreToolUse", tool, "{}"))) << tool;
    }
    for (const std::string_view tool : {"mcp__shop__ask", "Bash", "ask_user", "mcp__parley"})
        EXPECT_FALSE(keeps_out(call("PermissionRequest", tool, "{}"))) << tool;

    const auto form = [](std::string_view server, std::string_view fields) {
        return call("Elicitation", "", "{}",
                    fmt::format(R"(,"mcp_server_name":"{}","mode":"form","message":"Which?",)"
                                R"("requested_schema":{{"type":"object","properties":{}}})",
                                server, fields));
    };
    EXPECT_TRUE(keeps_out(form("parley", R"({"name":{"type":"string"}})")));
    EXPECT_TRUE(keeps_out(form("people", R"({"q0":{"type":"string","enum":["a"]},)"
                                         R"("q0_other":{"type":"string"},)"
                                         R"("q1_12":{"type":"boolean"}})")));
    EXPECT_FALSE(keeps_out(form("shop", R"({"color":{"type":"string"}})")));
    EXPECT_FALSE(
        keeps_out(form("shop", R"({"q0":{"type":"string"},"quantity":{"type":"integer"}})")));
}

TEST(ClaudeHook, AsksOnceForEachToolCall) {
    const HookAsk ask =
        asked(call("PreToolUse", "AskUserQuestion", kHookInput, R"(,"tool_use_id":"toolu_1")"));
    EXPECT_EQ(ask.request.session, "s1");
    EXPECT_EQ(ask.request.spec.tool, (ToolCall{"p1", "toolu_1"}));
    EXPECT_EQ(ask.request.spec.key, std::nullopt);
    EXPECT_EQ(ask.session_title, "Claude Code in shop #s1");
}

TEST(ClaudeHook, HasNoOpinionOnOtherTools) {
    auto plan = plan_hook(call("PreToolUse", "Bash", R"({"command":"ls"})"), {}, "n");
    ASSERT_TRUE(plan);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(*plan));
}

TEST(ClaudeHook, GivesTheAnswersBackInTheInput) {
    const Settlement answer{.answers = {{.selected = {"SQLite"}}}};
    EXPECT_EQ(said(call("PreToolUse"), answer),
              R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",)"
              R"("updatedInput":)" +
                  kAnswered + "}}");
    EXPECT_EQ(said(call("PermissionRequest"), answer),
              R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":)"
              R"({"behavior":"allow","updatedInput":)" +
                  kAnswered + "}}}");
    EXPECT_THAT(said(call("PreToolUse"), answer, {.adds_context = true}),
                testing::HasSubstr(R"("additionalContext":"User has answered your questions: )"
                                   R"(\"Which database?\"=\"SQLite\".)"));
}

TEST(ClaudeHook, TellsADismissalAndKeepsOutOfAWithdrawal) {
    const Settlement dismissal{.outcome = Outcome::dismissed, .note = "not now"};
    EXPECT_THAT(said(call("PreToolUse"), dismissal),
                testing::AllOf(testing::HasSubstr(R"("permissionDecision":"deny")"),
                               testing::HasSubstr("not now")));
    EXPECT_THAT(said(call("PermissionRequest"), dismissal),
                testing::HasSubstr(R"("decision":{"behavior":"deny","message":)"));
    EXPECT_EQ(said(call("PreToolUse"), {.outcome = Outcome::withdrawn}), "");
}

TEST(ClaudeHook, DoesWhatItWasToldOnTimeout) {
    const Settlement late{.outcome = Outcome::timed_out};
    const Millis minute{60'000};
    EXPECT_EQ(said(call("PreToolUse"), late), "");
    EXPECT_THAT(said(call("PreToolUse"), late, {.timeout = minute, .on_timeout = OnTimeout::deny}),
                testing::HasSubstr(R"("permissionDecision":"deny")"));
    const HookRules empty{.timeout = minute, .on_timeout = OnTimeout::empty};
    EXPECT_THAT(said(call("PreToolUse"), late, empty), testing::HasSubstr(R"("answers":{}})"));
    // Nobody's silence is a permission.
    EXPECT_EQ(said(call("PermissionRequest", "Bash", R"({"command":"ls"})"), late, empty), "");
}

TEST(ClaudeHook, AsksForPermissionsWithTheWholeInput) {
    const HookCall hook =
        call("PermissionRequest", "Bash", R"({"command":"rm -rf ```x\n"})",
             R"(,"permission_suggestions":[{"type":"addRules","behavior":"allow",)"
             R"("rules":[{"toolName":"Bash","ruleContent":"rm:*"}],"destination":"localSettings"},)"
             R"({"type":"setMode","mode":"acceptEdits","destination":"session"}])");
    const AskSpec spec = *check_spec(asked(hook).request.spec, kOpenProfile);
    EXPECT_EQ(spec.questions.front().text, "May Claude Code run ```` rm -rf ```x ````?");
    EXPECT_EQ(spec.questions.front().options[1].description, "Until it ends: Bash(rm:*)");
    EXPECT_EQ(spec.permission->summary, "rm -rf ```x");
    EXPECT_EQ(spec.permission->input, R"({"command":"rm -rf ```x\n"})");
    EXPECT_EQ(spec.context, std::nullopt);
    EXPECT_EQ(said(hook, {.answers = {{.selected = {"Allow once"}}}}),
              R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":)"
              R"({"behavior":"allow"}}})");
    EXPECT_THAT(said(hook, {.answers = {{.selected = {"Allow for this session"}}}}),
                testing::HasSubstr(R"("updatedPermissions":[{"type":"addRules","behavior":"allow",)"
                                   R"("rules":[{"toolName":"Bash","ruleContent":"rm:*"}],)"
                                   R"("destination":"session"}])"));
    EXPECT_THAT(
        said(hook, {.answers = {{.selected = {"Deny"}, .note = "use trash"}}}),
        testing::HasSubstr(R"("message":"The user does not allow this. Reason: use trash")"));
    EXPECT_THAT(said(hook, {.answers = {{.other = "yes please"}}}),
                testing::HasSubstr(R"("behavior":"deny")"));
}

// The five kinds of permission that people meet, as a hook is told of them and as the driven CLI
// asks for them.
TEST(ClaudeHook, EveryPermissionSaysWhatItPermits) {
    struct Case {
        std::string_view tool;
        std::string_view input;
        std::string_view question;
        std::string_view summary;
    };
    for (const Case& one : {
             Case{"Bash", R"({"command":"kubectl delete namespace staging-old"})",
                  "May Claude Code run `kubectl delete namespace staging-old`?",
                  "kubectl delete namespace staging-old"},
             Case{"Write", R"({"file_path":"/srv/a.md","content":"# A\nb\n"})",
                  "May Claude Code write `/srv/a.md`?", "/srv/a.md"},
             Case{"Edit", R"({"file_path":"/srv/a.md","old_string":"b","new_string":"c"})",
                  "May Claude Code edit `/srv/a.md`?", "/srv/a.md"},
             Case{"ExitPlanMode", R"({"plan":"# Move\n\n1. copy"})",
                  "May Claude Code go on with its plan: `Move`?", "Move"},
             Case{"mcp__github__create_issue", R"({"repo":"acme/shop","title":"It breaks"})",
                  "May Claude Code use `mcp__github__create_issue(repo: acme/shop, …)`?",
                  "mcp__github__create_issue(repo: acme/shop, …)"},
         }) {
        const AskSpec hooked = *check_spec(
            asked(call("PermissionRequest", one.tool, one.input)).request.spec, kOpenProfile);
        EXPECT_EQ(hooked.questions.front().text, one.question);
        EXPECT_EQ(hooked.permission->summary, one.summary);
        EXPECT_EQ(hooked.permission->input, one.input);
        EXPECT_EQ(hooked.context, std::nullopt) << "fronts show it from the permission";

        const auto line = read_cli_line(fmt::format(
            R"({{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool",)"
            R"("tool_name":"{}","input":{},"tool_use_id":"t"}}}})",
            one.tool, one.input));
        ASSERT_TRUE(line) << line.error().message;
        AskSpec driven;
        fill_permission(driven,
                        std::get<ToolWish>(std::get<ControlRequest>(*line).wish).permission);
        EXPECT_EQ(check_spec(driven, kOpenProfile)->permission, hooked.permission);
    }
}

TEST(ClaudeHook, NothingOfALongInputIsLeftOut) {
    const std::string content(200'000, 'x');
    const AskSpec spec =
        *check_spec(asked(call("PermissionRequest", "Write",
                               fmt::format(R"({{"file_path":"a","content":"{}"}})", content)))
                        .request.spec,
                    kOpenProfile);
    EXPECT_THAT(spec.permission->input, testing::HasSubstr(content));
    EXPECT_THAT(*spec.permission->diff, testing::HasSubstr(content));
    const auto too_large = check_spec(
        asked(call("PermissionRequest", "Write",
                   fmt::format(R"({{"file_path":"a","content":"{}"}})", std::string(1 << 20, 'x'))))
            .request.spec,
        kOpenProfile);
    ASSERT_FALSE(too_large);
    EXPECT_EQ(too_large.error().faults.front().path, "/permission/input");
}

TEST(ClaudeHook, TwoCallsThatLookAlikeAreTwoAsks) {
    const HookCall hook = call("PermissionRequest", "Bash", R"({"command":"ls"})");
    EXPECT_NE(asked(hook, {}, "a").request.spec.key, asked(hook, {}, "b").request.spec.key);
}

TEST(ClaudeHook, PostToolUseFindsWhatWasAskedForItsCall) {
    const auto after = [](std::string_view tool, std::string_view input) {
        return std::get<HookWithdrawal>(
            *plan_hook(call("PostToolUse", tool, input, R"(,"tool_use_id":"toolu_1")"), {}, "n"));
    };
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(asked(call("PermissionRequest")).request.spec);
    EXPECT_TRUE(is_meant(after("AskUserQuestion", kAnswered), ask));
    EXPECT_FALSE(is_meant(after("Bash", R"({"command":"ls"})"), ask));
    ask.spec =
        std::make_shared<const AskSpec>(AskSpec{.questions = {}, .tool = ToolCall{"", "toolu_1"}});
    EXPECT_TRUE(is_meant(after("Bash", R"({"command":"ls"})"), ask));
}

TEST(ClaudeHook, FillsInAForm) {
    const std::string schema =
        R"(,"mcp_server_name":"asker","message":"Please choose","mode":"form","requested_schema":)"
        R"({"type":"object","properties":{"color":{"type":"string","enum":["red","green"]},)"
        R"("count":{"type":"integer","title":"How many"},"sure":{"type":"boolean"}},)"
        R"("required":["color"]})";
    const HookCall hook = call("Elicitation", "", "{}", schema);
    const AskSpec spec = asked(hook).request.spec;
    ASSERT_EQ(spec.questions.size(), 3U);
    EXPECT_EQ(spec.questions[1].text, "How many (a whole number)");
    EXPECT_EQ(spec.questions[0].required, true);
    EXPECT_EQ(spec.questions[1].required, false);
    EXPECT_EQ(said(hook, {.answers = {{.selected = {"green"}}, {.other = "3"}, {}}}),
              R"({"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept",)"
              R"("content":{"color":"green","count":3}}})");
    EXPECT_EQ(said(hook, {.outcome = Outcome::dismissed}),
              R"({"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}})");
    const auto wrong = hook_output(
        hook, {}, settled(hook, {.answers = {{.selected = {"green"}}, {.other = "few"}, {}}}));
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, testing::HasSubstr("is not a whole number"));
}

TEST(ClaudeHook, KnowsTheVersionsThatTakeAnswers) {
    EXPECT_TRUE(takes_answers(R"({"version":"1.0.0"} {"version":"2.1.197","x":1})"));
    EXPECT_FALSE(takes_answers(R"({"version":"2.0.76"})"));
    EXPECT_FALSE(takes_answers(R"({"version":"2.1"})"));
    EXPECT_FALSE(takes_answers(""));
}

TEST(ClaudeHook, RefusesWhatIsNoHookInput) {
    EXPECT_FALSE(read_hook_call("[]"));
    EXPECT_FALSE(read_hook_call("{"));
    EXPECT_FALSE(read_hook_call(R"({"hook_event_name":"PreToolUse"})"));
}

}  // namespace
}  // namespace parley::claude
