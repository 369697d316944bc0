// SPDX-License-Identifier: Apache-2.0
#include "dialect/acp/permission.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/permission.h"
#include "core/profile.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "dialect/acp/tool_call.h"
#include "dialect/limits.h"
#include "dialect/mcp/own_tools.h"
#include "text/safe_text.h"

namespace parley::acp {

namespace {

using json::field;
using json::text_field;

bool is_reject(const PermissionOption& option) {
    return option.kind.starts_with("reject");
}

// Labels of one question differ, whatever the agent calls its options.
std::vector<std::string> labels_of(const std::vector<PermissionOption>& options) {
    std::vector<std::string> labels;
    for (const PermissionOption& option : options) {
        std::string label = one_line(option.name, limits::kAcpLabelChars);
        if (is_blank(label)) label = one_line(option.id, limits::kAcpLabelChars);
        if (is_blank(label)) label = "Option";
        const std::string wanted = label;
        for (int n = 2; std::ranges::find(labels, label) != labels.end(); ++n)
            label = fmt::format("{} ({})", wanted, n);
        labels.push_back(std::move(label));
    }
    return labels;
}

std::string_view description_of(const PermissionOption& option, Words words) {
    if (option.kind == "allow_once") return "This call and no other";
    if (option.kind == "allow_always") return "And what the agent counts as the same, unasked";
    if (option.kind == "reject_always") return "Also what it counts as the same, unasked";
    if (option.kind == "reject_once")
        return words == Words::follow ? "It is told no more; words of yours follow as a message"
                                      : "It is told no more; words of yours stay here";
    return {};
}

// A command, an edit or whatever else has an effect is a permission, whatever it carries beside.
bool has_effect(const json::Value& call) {
    const std::string kind = text_field(call, "kind");
    return !kind.empty() && kind != "other" && kind != "think";
}

std::optional<std::vector<Question>> read_qwen(const PermissionWish& wish) {
    const json::Array* list = json::list_field(field(wish.call, "_meta"), "qwenQuestions");
    if (list == nullptr || has_effect(wish.call)) return std::nullopt;
    auto questions = read_questions(json::Value(*list), kOpenProfile);
    if (!questions) return std::nullopt;
    return std::move(*questions);
}

std::string selected_result(std::string_view option, std::string_view answers = {}) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("outcome").begin_object().field("outcome", "selected");
    out.field("optionId", option).end_object();
    if (!answers.empty()) out.key("answers").raw(answers);
    out.end_object();
    return text;
}

const PermissionOption* first_of(const PermissionWish& wish, std::string_view kind) {
    const auto found = std::ranges::find(wish.options, kind, &PermissionOption::kind);
    return found == wish.options.end() ? nullptr : &*found;
}

// A denial, as mildly as the agent offers it.
std::string reject_result(const PermissionWish& wish) {
    const PermissionOption* option = first_of(wish, "reject_once");
    return option != nullptr ? selected_result(option->id) : cancelled_result();
}

std::string qwen_answers(const Answers& answers) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (!answers[i].is_empty()) out.field(std::to_string(i), joined_answer(answers[i]));
    out.end_object();
    return text;
}

std::string about(const Ask& ask, std::string_view words) {
    const std::string what =
        ask.spec->permission ? ask.spec->permission->summary : std::string("your question");
    return fmt::format("About “{}”: {}", what, words);
}

// What a person said beside the choice itself.
std::string words_of(const Ask& ask) {
    std::string words;
    for (const Answer& answer : ask.settlement->answers)
        for (const auto& each : {answer.other, answer.note})
            if (each) words += (words.empty() ? "" : "\n") + *each;
    return words.empty() ? words : about(ask, words);
}

Decision answered(const PermissionWish& wish, const Ask& ask) {
    const Answers& answers = ask.settlement->answers;
    // What was shown decides, not what came: these were questions, and no permission.
    if (!ask.spec->permission) {
        const PermissionOption* submit = first_of(wish, "allow_once");
        if (submit == nullptr) return {reject_result(wish), words_of(ask)};
        return {selected_result(submit->id, qwen_answers(answers))};
    }
    const Answer& answer = answers.front();
    const std::vector<std::string> labels = labels_of(wish.options);
    // Own words in place of a choice are a denial that says them.
    if (!answer.other && !answer.selected.empty())
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (labels[i] == answer.selected.front())
                return {selected_result(wish.options[i].id), words_of(ask)};
    return {reject_result(wish), words_of(ask)};
}

}  // namespace

PermissionWish read_permission_wish(const json::Value& params) {
    PermissionWish wish{.session = text_field(params, "sessionId"),
                        .call = field(params, "toolCall"),
                        .options = {}};
    if (const json::Array* options = json::list_field(params, "options"))
        for (const json::Value& option : *options)
            if (wish.options.size() < limits::kAcpOptionsMax)
                wish.options.push_back({text_field(option, "optionId"), text_field(option, "name"),
                                        text_field(option, "kind")});
    return wish;
}

bool is_own_tool(const json::Value& call, bool is_title_name) {
    // A command or an edit is never one, whatever it calls itself.
    const std::string kind = text_field(call, "kind");
    if (!kind.empty() && kind != "other" && kind != "think") return false;
    if (const std::string name = call_name(call); !name.empty())
        return mcp::own_tool(name).has_value();
    const auto tool = mcp::own_tool(text_field(call, "title"));
    if (!tool) return false;
    if (is_title_name && !has_input(call) && call_words(call).empty()) return true;
    return mcp::may_have_members(*tool, input_members(call));
}

void fill_permission(AskSpec& spec, const PermissionWish& wish, std::string_view agent,
                     Words words) {
    if (auto questions = read_qwen(wish)) {
        spec.questions = std::move(*questions);
    } else {
        spec.permission = permission_of(wish.call);
        Faults faults;
        permission::check(*spec.permission, {}, faults);
        Question question{.text = permission::question_text(agent, *spec.permission),
                          .header = "Permission",
                          .options = {}};
        const std::vector<std::string> labels = labels_of(wish.options);
        for (std::size_t i = 0; i < labels.size(); ++i)
            question.options.push_back(
                {labels[i], std::string(description_of(wish.options[i], words))});
        // Words in place of a choice are a denial that says them: only where it can be given.
        question.custom = wish.options.empty() ||
                          (words == Words::follow && std::ranges::any_of(wish.options, is_reject));
        spec.questions = {std::move(question)};
        if (std::string context = call_words(wish.call); !is_blank(context)) {
            spec.context = std::move(context);
        } else if (tells_nothing(wish.call)) {
            spec.context = fmt::format("{} does not say what it is about to do.", agent);
        }
    }
    if (std::string id = text_field(wish.call, "toolCallId"); !id.empty())
        spec.tool = ToolCall{{}, std::move(id)};
}

Decision permission_decision(const PermissionWish& wish, const Ask& settled) {
    const Settlement& settlement = *settled.settlement;
    switch (settled.state()) {
        case AskState::answered: return answered(wish, settled);
        case AskState::dismissed:
            return {reject_result(wish),
                    settlement.note ? about(settled, *settlement.note) : std::string()};
        case AskState::timed_out: return {reject_result(wish), about(settled, model_text(settled))};
        case AskState::withdrawn:
        case AskState::pending: break;
    }
    return {cancelled_result()};
}

std::string allow_once_result(const PermissionWish& wish) {
    const PermissionOption* option = first_of(wish, "allow_once");
    return option != nullptr ? selected_result(option->id) : std::string();
}

std::string cancelled_result() {
    return R"({"outcome":{"outcome":"cancelled"}})";
}

}  // namespace parley::acp
