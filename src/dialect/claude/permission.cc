// SPDX-License-Identifier: Apache-2.0
#include "dialect/claude/permission.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/permission.h"
#include "dialect/limits.h"
#include "text/safe_text.h"
#include "text/width.h"

namespace parley::claude {

namespace {

std::string rule_text(const json::Value& rule) {
    const std::string tool = json::text_field(rule, "toolName");
    const std::string content = json::text_field(rule, "ruleContent");
    return content.empty() ? tool : fmt::format("{}({})", tool, content);
}

// What one permission update would allow, in few words.
std::string update_text(const json::Value& update) {
    const std::string type = json::text_field(update, "type");
    if (type == "setMode") return fmt::format("mode {}", json::text_field(update, "mode"));
    const json::Array* list =
        json::list_field(update, type == "addDirectories" ? "directories" : "rules");
    if (list == nullptr) return type;
    std::vector<std::string> parts;
    for (const json::Value& entry : *list) {
        if (entry.is_object()) parts.push_back(rule_text(entry));
        if (entry.is_string()) parts.emplace_back(view_of(entry.get_string()));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

bool allows_something(const json::Value& update) {
    const std::string type = json::text_field(update, "type");
    return type == "setMode" || type == "addDirectories" ||
           (type == "addRules" && json::text_field(update, "behavior") == "allow");
}

// No more than is needed: a rule for this call goes before a folder, or a mode that allows every
// edit.
std::vector<const json::Value*> usable_suggestions(const PermissionWish& wish) {
    std::vector<const json::Value*> rules;
    std::vector<const json::Value*> others;
    const json::Array* list = wish.suggestions.if_array();
    if (list == nullptr) return rules;
    for (const json::Value& update : *list) {
        if (!allows_something(update)) continue;
        const bool is_rule = json::text_field(update, "type") == "addRules";
        (is_rule ? rules : others).push_back(&update);
    }
    return rules.empty() ? others : rules;
}

std::string session_description(const PermissionWish& wish) {
    const auto usable = usable_suggestions(wish);
    if (usable.empty()) return fmt::format("Every use of {} until it ends", wish.tool);
    std::vector<std::string> parts;
    for (const json::Value* update : usable) parts.push_back(update_text(*update));
    return fmt::format("Until it ends: {}", fmt::join(parts, "; "));
}

}  // namespace

void fill_permission(AskSpec& spec, const PermissionWish& wish) {
    spec.permission =
        PermissionRequest{.tool = wish.tool, .input = permission::input_text(wish.input)};
    Question question{.text = permission::question_text("Claude Code", *spec.permission),
                      .header = "Permission",
                      .options = {{std::string(permission::kAllowOnce), "This call and no other"}}};
    if (wish.may_last)
        question.options.push_back(
            {std::string(permission::kAllowForSession),
             cut_to_clusters(session_description(wish), limits::kRuleTextChars)});
    question.options.push_back(
        {std::string(permission::kDeny), "Claude is told so, with your reason"});
    spec.questions = {std::move(question)};
    if (!is_blank(wish.why)) spec.context = wish.why;
}

Permission read_permission(const Ask& settled) {
    if (settled.state() != AskState::answered) return {.message = model_text(settled)};
    const Answer& answer = settled.settlement->answers.front();
    const auto chose = [&](std::string_view label) {
        return std::ranges::find(answer.selected, label) != answer.selected.end();
    };
    if (!answer.other && chose(permission::kAllowOnce)) return {.is_allowed = true};
    if (!answer.other && chose(permission::kAllowForSession))
        return {.is_allowed = true, .lasts = true};
    std::string message = "The user does not allow this.";
    if (answer.other) message += " They said: " + *answer.other;
    if (answer.note) message += " Reason: " + *answer.note;
    return {.message = std::move(message)};
}

std::string session_rules(const PermissionWish& wish) {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    const auto usable = usable_suggestions(wish);
    for (const json::Value* update : usable) {
        out.begin_object();
        for (const auto& field : update->get_object()) {
            if (json::key_of(field) != "destination")
                out.key(json::key_of(field)).value(field.value());
        }
        out.field("destination", "session").end_object();
    }
    if (usable.empty()) {
        out.begin_object().field("type", "addRules").key("rules").begin_array();
        out.begin_object().field("toolName", wish.tool).end_object().end_array();
        out.field("behavior", "allow").field("destination", "session").end_object();
    }
    out.end_array();
    return text;
}

}  // namespace parley::claude
