// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/approvals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "dialect/codex/items.h"
#include "dialect/codex/shell_words.h"
#include "dialect/limits.h"
#include "text/safe_text.h"

namespace parley::codex {

namespace {

using Kind = Wish::Kind;

// One decision that Codex takes, as the person sees it.
struct Decision {
    Option option;
    std::string result;  // JSON
    bool is_denial = false;
};

constexpr std::string_view kOnce = "This and no other";
constexpr std::string_view kDenyWords = "Codex is told no; your words follow as a message to it";
constexpr std::string_view kDeniedWords = "The user did not allow what you asked for. They say:";
constexpr std::string_view kAllowedWords = "The user allowed what you asked for, and says:";
constexpr std::string_view kStopTurn = "Deny and stop the turn";
constexpr std::string_view kAlways = "Always allow";

std::string decision_result(const json::Value& decision) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("decision").value(decision).end_object();
    return text;
}

Decision usual(std::string_view label, std::string_view meaning, std::string_view decision) {
    return {.option = {std::string(label), std::string(meaning)},
            .result = decision_result(json::Value(boost::json::string_view(decision))),
            .is_denial = label == permission::kDeny || label == kStopTurn};
}

std::string joined_words(const json::Value& list) {
    std::vector<std::string> words;
    if (const json::Array* array = list.if_array())
        for (const json::Value& word : *array)
            if (word.is_string()) words.emplace_back(view_of(word.get_string()));
    return fmt::format("{}", fmt::join(words, " "));
}

// A rule is offered only if all of it is seen where it is chosen.
bool fits_one_line(std::string_view text) {
    return !text.empty() && text == one_line(text, limits::kRuleTextChars);
}

// A rule that Codex writes down for later, in the words of what it lets through.
std::optional<Decision> read_rule(const json::Value& decision) {
    const json::Value& command = json::field(decision, "acceptWithExecpolicyAmendment");
    if (command.is_object()) {
        const std::string prefix = joined_words(json::field(command, "execpolicy_amendment"));
        if (!fits_one_line(prefix)) return std::nullopt;
        return Decision{
            .option = {fmt::format("{} {}", kAlways, one_line(prefix, limits::kCodexLabelChars)),
                       fmt::format("Codex writes a rule: no question for any command that begins "
                                   "with {}, in later sessions too",
                                   prefix)},
            .result = decision_result(decision)};
    }
    const json::Value& network = json::field(json::field(decision, "applyNetworkPolicyAmendment"),
                                             "network_policy_amendment");
    if (!network.is_object()) return std::nullopt;
    const std::string host = json::text_field(network, "host");
    if (!fits_one_line(host)) return std::nullopt;
    const bool is_denial = json::text_field(network, "action") != "allow";
    return Decision{
        .option = {fmt::format("{} {}", is_denial ? "Deny always" : kAlways,
                               one_line(host, limits::kCodexLabelChars)),
                   fmt::format("Codex writes a rule for {}, for later sessions too", host)},
        .result = decision_result(decision),
        .is_denial = is_denial};
}

// In Codex's own order. It takes a plain no always, and does not always list it.
std::vector<Decision> command_decisions(const json::Value& params) {
    const Decision deny = usual(permission::kDeny, kDenyWords, "decline");
    const Decision session =
        usual(permission::kAllowForSession, "The same until Codex ends", "acceptForSession");
    const Decision once = usual(permission::kAllowOnce, kOnce, "accept");
    const json::Array* list = json::list_field(params, "availableDecisions");
    if (list == nullptr || list->empty()) return {once, session, deny};
    std::vector<Decision> decisions;
    std::optional<Decision> stop;
    for (const json::Value& entry : *list) {
        if (auto rule = read_rule(entry)) decisions.push_back(std::move(*rule));
        if (!entry.is_string()) continue;
        const std::string_view name = view_of(entry.get_string());
        if (name == "accept") decisions.push_back(once);
        if (name == "acceptForSession") decisions.push_back(session);
        if (name == "cancel")
            stop = usual(kStopTurn, "Codex waits for your next message", "cancel");
    }
    decisions.push_back(deny);
    if (stop) decisions.push_back(std::move(*stop));
    return decisions;
}

std::vector<Decision> permission_decisions(const json::Value& params) {
    const auto grant = [&params](std::string_view scope, bool is_granted) {
        std::string text;
        json::Writer out(text);
        out.begin_object().key("permissions").begin_object();
        const json::Object* wanted = json::field(params, "permissions").if_object();
        if (is_granted && wanted != nullptr)
            for (const auto& entry : *wanted)
                if (!entry.value().is_null()) out.key(json::key_of(entry)).value(entry.value());
        out.end_object().field("scope", scope).end_object();
        return text;
    };
    return {
        {{std::string(permission::kAllowOnce), "Until the turn ends"}, grant("turn", true)},
        {{std::string(permission::kAllowForSession), "Until Codex ends"}, grant("session", true)},
        {{std::string(permission::kDeny), std::string(kDenyWords)}, grant("turn", false), true}};
}

std::string tool_result(std::string_view action, std::string_view persist = {}) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("action", action).key("content");
    if (action == "accept") {
        out.begin_object().end_object();
    } else {
        out.null();
    }
    out.key("_meta");
    if (persist.empty()) {
        out.null();
    } else {
        out.begin_object().field("persist", persist).end_object();
    }
    out.end_object();
    return text;
}

std::vector<Decision> tool_decisions(const json::Value& params) {
    std::vector<Decision> decisions = {
        {{std::string(permission::kAllowOnce), std::string(kOnce)}, tool_result("accept")}};
    const json::Array* persist = json::list_field(json::field(params, "_meta"), "persist");
    const auto lasts = [persist](std::string_view scope) {
        return persist != nullptr && std::ranges::any_of(*persist, [scope](const json::Value& v) {
                   return v.is_string() && view_of(v.get_string()) == scope;
               });
    };
    if (lasts("session"))
        decisions.push_back({{std::string(permission::kAllowForSession),
                              "This tool, with any input, until Codex ends"},
                             tool_result("accept", "session")});
    if (lasts("always"))
        decisions.push_back({{std::string(kAlways),
                              "Codex writes it down: this tool, with any "
                              "input, in later sessions too"},
                             tool_result("accept", "always")});
    decisions.push_back(
        {{std::string(permission::kDeny), std::string(kDenyWords)}, tool_result("decline"), true});
    return decisions;
}

std::vector<Decision> decisions_of(const Wish& wish) {
    switch (wish.kind) {
        case Kind::permissions: return permission_decisions(wish.params);
        case Kind::tool: return tool_decisions(wish.params);
        case Kind::command:
        case Kind::edit:
        case Kind::questions:
        case Kind::form:
        case Kind::link:
        case Kind::plan:
        case Kind::other: break;
    }
    return command_decisions(wish.params);
}

std::string command_input(const json::Value& params) {
    // What names the request, what the options say, and what is said in words of its own.
    constexpr std::array<std::string_view, 13> kLeftOut = {"kind",
                                                           "threadId",
                                                           "turnId",
                                                           "itemId",
                                                           "startedAtMs",
                                                           "approvalId",
                                                           "environmentId",
                                                           "reason",
                                                           "command",
                                                           "commandActions",
                                                           "availableDecisions",
                                                           "proposedExecpolicyAmendment",
                                                           "proposedNetworkPolicyAmendments"};
    std::string text;
    json::Writer out(text);
    out.begin_object();
    write_command(out, params);
    if (const json::Object* members = params.if_object())
        for (const auto& entry : *members)
            if (!entry.value().is_null() &&
                std::ranges::find(kLeftOut, json::key_of(entry)) == kLeftOut.end())
                out.key(json::key_of(entry)).value(entry.value());
    out.end_object();
    return text;
}

Result<PermissionRequest> edit_permission(const json::Value& params, const json::Value& edit) {
    const json::Array* changes = json::list_field(edit, "changes");
    if (changes == nullptr || changes->empty())
        return reject(ErrorCode::unavailable,
                      "Codex wants to edit files and has not said how; look at it there");
    std::string input;
    json::Writer out(input);
    out.begin_object().field("patch", patch_of(*changes));
    if (const std::string root = json::text_field(params, "grantRoot"); !root.empty())
        out.field("grantRoot", root);
    out.end_object();
    return PermissionRequest{.tool = std::string(kEditTool), .input = std::move(input)};
}

PermissionRequest tool_permission(const Wish& wish) {
    const json::Value& meta = json::field(wish.params, "_meta");
    const json::Value& input = json::field(meta, "tool_params");
    return {
        .tool = wanted_tool(wish),
        .input = permission::input_text(input.is_object() ? input : json::Value(json::Object()))};
}

Result<PermissionRequest> permission_of(const Wish& wish, const json::Value& edit) {
    const bool is_input = json::text_field(wish.params, "kind") == "writeStdin";
    switch (wish.kind) {
        case Kind::edit: return edit_permission(wish.params, edit);
        case Kind::tool: return tool_permission(wish);
        case Kind::permissions:
            return PermissionRequest{
                .tool = "request_permissions",
                .input = permission::input_text(json::field(wish.params, "permissions"))};
        case Kind::command:
        case Kind::questions:
        case Kind::form:
        case Kind::link:
        case Kind::plan:
        case Kind::other: break;
    }
    return PermissionRequest{.tool = std::string(is_input ? "write_stdin" : kCommandTool),
                             .input = command_input(wish.params)};
}

}  // namespace

Result<void> fill_approval(AskSpec& spec, const Wish& wish, const json::Value& edit) {
    TRY(permission, permission_of(wish, edit));
    spec.permission = std::move(permission);
    Question question{.text = permission::question_text("Codex", *spec.permission),
                      .header = "Permission",
                      .options = {}};
    for (Decision& decision : decisions_of(wish))
        question.options.push_back(std::move(decision.option));
    spec.questions = {std::move(question)};
    const std::string why =
        wish.kind == Kind::tool
            ? json::text_field(json::field(wish.params, "_meta"), "tool_description")
            : json::text_field(wish.params, "reason");
    if (!is_blank(why)) spec.context = why;
    return {};
}

Ruling read_approval(const Wish& wish, const Ask& settled) {
    const std::vector<Decision> decisions = decisions_of(wish);
    const auto deny =
        std::ranges::find(decisions, permission::kDeny,
                          [](const Decision& d) -> std::string_view { return d.option.label; });
    const std::string refusal = deny == decisions.end() ? std::string() : deny->result;
    if (settled.state() != AskState::answered)
        return {.result = refusal, .words = model_text(settled)};
    const Answer& answer = settled.settlement->answers.front();
    std::string words;
    const auto add = [&words](const std::optional<std::string>& text) {
        if (text) words += fmt::format("{}{}", words.empty() ? "" : "\n", *text);
    };
    add(answer.other);
    add(answer.note);
    const auto chosen = std::ranges::find_if(decisions, [&answer](const Decision& decision) {
        // Own words in place of a choice are no permission.
        return !answer.other && answer.selected.size() == 1 &&
               answer.selected.front() == decision.option.label;
    });
    const bool is_denial = chosen == decisions.end() || chosen->is_denial;
    if (!words.empty())
        words = fmt::format("{} {}", is_denial ? kDeniedWords : kAllowedWords, words);
    return {.result = chosen == decisions.end() ? refusal : chosen->result,
            .words = std::move(words),
            .permits = !is_denial};
}

}  // namespace parley::codex
