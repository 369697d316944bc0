// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "dialect/codex/approvals.h"
#include "dialect/codex/items.h"
#include "dialect/codex/shell_words.h"
#include "dialect/limits.h"
#include "dialect/mcp/elicitation.h"
#include "dialect/mcp/tools.h"
#include "dialect/requested_form.h"
#include "text/width.h"

namespace parley::codex {

namespace {

using Kind = Wish::Kind;

constexpr std::string_view kCarryOut = "Carry it out";
constexpr std::string_view kNoneOfThese = "None of the above";
constexpr std::string_view kNoteMark = "user_note: ";
constexpr std::string_view kSecretWords =
    "Codex marks the answer as a secret, and Parley keeps answers: give it in Codex itself.";
constexpr std::string_view kKeptWords =
    "Codex marks the answer as a secret, and Parley keeps answers: who may read this session sees "
    "it.";
constexpr std::string_view kHurriedWords =
    "Codex waits two minutes for this and then goes on without an answer.";

Kind elicitation_kind(const json::Value& params) {
    const std::string mode = json::text_field(params, "mode");
    if (json::text_field(json::field(params, "_meta"), "codex_approval_kind") == "mcp_tool_call")
        return Kind::tool;
    if (mode == "form") return Kind::form;
    return mode == "url" ? Kind::link : Kind::other;
}

Kind kind_of(std::string_view method, const json::Value& params) {
    if (method == "item/tool/requestUserInput") return Kind::questions;
    if (method == "item/commandExecution/requestApproval") return Kind::command;
    if (method == "item/fileChange/requestApproval") return Kind::edit;
    if (method == "item/permissions/requestApproval") return Kind::permissions;
    if (method == "mcpServer/elicitation/request") return elicitation_kind(params);
    return Kind::other;
}

template <class Visit>
void for_each_question(const Wish& wish, Visit visit) {
    const json::Array* list = json::list_field(wish.params, "questions");
    if (list == nullptr) return;
    for (const json::Value& question : *list) visit(question);
}

std::vector<Question> questions_of(const Wish& wish) {
    std::vector<Question> questions;
    for_each_question(wish, [&](const json::Value& asked) {
        Question question{.text = json::text_field(asked, "question"),
                          .header = json::text_field(asked, "header"),
                          .options = {},
                          .custom = json::is_true(asked, "isOther")};
        if (const json::Array* options = json::list_field(asked, "options"))
            for (const json::Value& option : *options)
                question.options.push_back(
                    {json::text_field(option, "label"), json::text_field(option, "description")});
        if (question.options.empty()) question.custom = true;
        questions.push_back(std::move(question));
    });
    return questions;
}

void fill_questions(AskSpec& spec, const Wish& wish, bool has_window) {
    spec.questions = questions_of(wish);
    std::string context;
    const auto add = [&context](std::string_view words) {
        if (!context.empty()) context += "\n\n";
        context += words;
    };
    bool is_secret = false;
    for_each_question(
        wish, [&](const json::Value& asked) { is_secret |= json::is_true(asked, "isSecret"); });
    if (is_secret) add(has_window ? kSecretWords : kKeptWords);
    // That window is in a hurry; Codex itself waits.
    const json::Value& blocking = json::field(wish.params, "isBlocking");
    if (has_window && blocking.is_bool() && !blocking.get_bool()) add(kHurriedWords);
    if (!context.empty()) spec.context = std::move(context);
}

// As Codex's own dialog gives them: the label, then what was typed.
std::vector<std::string> answer_texts(const Question& question, const Answer& answer) {
    std::vector<std::string> texts = answer.selected;
    if (answer.other) {
        if (!question.options.empty()) texts.emplace_back(kNoneOfThese);
        texts.push_back(fmt::format("{}{}", kNoteMark, *answer.other));
    }
    if (answer.note) texts.push_back(fmt::format("{}{}", kNoteMark, *answer.note));
    return texts;
}

// Nothing but an answer is told apart by Codex, so that the words stand in place of one.
std::string questions_result(const Wish& wish, const Ask& settled) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("answers").begin_object();
    std::size_t index = 0;
    for_each_question(wish, [&](const json::Value& asked) {
        std::vector<std::string> texts;
        if (settled.state() != AskState::answered) {
            if (index == 0) texts = {model_text(settled)};
        } else if (index < settled.settlement->answers.size()) {
            texts =
                answer_texts(settled.spec->questions[index], settled.settlement->answers[index]);
        }
        ++index;
        if (texts.empty()) return;
        out.key(json::text_field(asked, "id")).begin_object().key("answers").begin_array();
        for (const std::string& entry : texts) out.string(entry);
        out.end_array().end_object();
    });
    out.end_object().end_object();
    return text;
}

std::string form_result(std::string_view action, std::string_view content = {}) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("action", action).key("content");
    if (content.empty()) {
        out.null();
    } else {
        out.raw(content);
    }
    out.key("_meta").null().end_object();
    return text;
}

Result<Ruling> form_ruling(const Wish& wish, const Ask& settled) {
    if (settled.state() == AskState::dismissed) return Ruling{.result = form_result("decline")};
    if (settled.state() != AskState::answered) return Ruling{.result = form_result("cancel")};
    const Answers& answers = settled.settlement->answers;
    if (wish.kind == Kind::link)
        return Ruling{.result =
                          form_result(elicitation::is_opened(answers) ? "accept" : "decline")};
    TRY(content, elicitation::form_content(json::field(wish.params, "requestedSchema"),
                                           settled.spec->questions, answers));
    return Ruling{.result = form_result("accept", content)};
}

Result<void> fill_form(AskSpec& spec, const Wish& wish, std::string_view complaint) {
    const std::string server = json::text_field(wish.params, "serverName");
    const std::string message = json::text_field(wish.params, "message");
    if (wish.kind == Kind::link) {
        spec.questions = elicitation::link_questions(fmt::format("The MCP server {}", server),
                                                     message, json::text_field(wish.params, "url"));
        return {};
    }
    TRY(questions, elicitation::read_form(message, json::field(wish.params, "requestedSchema")));
    spec.questions = std::move(questions);
    spec.context = fmt::format("{}{}The MCP server {} asks: {}", complaint,
                               complaint.empty() ? "" : "\n\n", server, message);
    return {};
}

// Codex leaves Plan mode when it is told to, and by nothing else.
void fill_plan(AskSpec& spec, const Wish& wish) {
    spec.permission = PermissionRequest{
        .tool = "exit_plan_mode", .input = "{}", .plan = json::text_field(wish.params, "plan")};
    spec.questions = {{.text = "May Codex carry out its plan?",
                       .header = "Plan",
                       .options = {{std::string(kCarryOut), "It leaves Plan mode and begins"},
                                   {std::string(permission::kDeny),
                                    "It waits; your words are its next message"}}}};
}

Ruling plan_ruling(const Ask& settled) {
    const Settlement& settlement = *settled.settlement;
    std::string words = settlement.note.value_or("");
    bool is_wanted = false;
    if (settled.state() == AskState::answered) {
        const Answer& answer = settlement.answers.front();
        words = answer.other ? *answer.other : answer.note.value_or("");
        is_wanted = !answer.other && answer.selected == std::vector{std::string(kCarryOut)};
    } else if (settled.state() != AskState::dismissed) {
        words.clear();
    }
    if (!words.empty()) words = fmt::format("About your plan, the user says: {}", words);
    return {.result = is_wanted ? "true" : "false", .words = std::move(words)};
}

bool is_own_server(const Wish& wish) {
    return json::text_field(wish.params, "serverName") == "parley";
}

bool names_own_tool(const Wish& wish) {
    const std::string tool = quoted_name(json::text_field(wish.params, "message"));
    return tool == mcp::kAskUser || tool == mcp::kAskPerson || tool == mcp::kWaitAnswer ||
           tool == mcp::kNotifyUser;
}

}  // namespace

Wish read_wish(ServerRequest request) {
    Wish wish{.kind = kind_of(request.method, request.params),
              .id = std::move(request.id),
              .method = std::move(request.method),
              .thread = json::text_field(request.params, "threadId"),
              .turn = json::text_field(request.params, "turnId"),
              .item = json::text_field(request.params, "itemId"),
              .params = std::move(request.params)};
    // Several may be about one item.
    if (const std::string part = json::text_field(wish.params, "approvalId"); !part.empty())
        wish.item += '/' + part;
    return wish;
}

Wish plan_wish(std::string thread, std::string turn, std::string_view plan) {
    json::Object params;
    params["plan"] = json::Value(boost::json::string_view(plan));
    return {.kind = Kind::plan,
            .id = "null",
            .method = "plan",
            .thread = std::move(thread),
            .turn = std::move(turn),
            .params = std::move(params)};
}

bool carries_out(std::string_view result) {
    return result == "true";
}

std::string wish_key(const Wish& wish) {
    // Codex may ask again about one item, and each time it is another question.
    return fmt::format("{}:{}:{}:{}", wish.thread, wish.turn.empty() ? wish.server : wish.turn,
                       wish.id, one_line(wish.item, limits::kCodexKeyChars));
}

bool is_own(const Wish& wish) {
    if (wish.kind == Kind::form)
        return is_own_server(wish) || mcp::is_own_form(json::field(wish.params, "requestedSchema"));
    return wish.kind == Kind::tool && (is_own_server(wish) || names_own_tool(wish));
}

std::string pass_result(const Wish& wish) {
    if (!is_own(wish)) return {};
    if (wish.kind == Kind::form) return form_result("cancel");
    return is_own_server(wish) && names_own_tool(wish) ? form_result("accept", "{}") : "";
}

std::string wanted_tool(const Wish& wish) {
    return mcp_tool_name(json::text_field(wish.params, "serverName"),
                         quoted_name(json::text_field(wish.params, "message")));
}

Result<AskSpec> make_spec(const Wish& wish, const Surroundings& surroundings) {
    AskSpec spec{.questions = {}, .agent = std::string(kAgent)};
    switch (wish.kind) {
        case Kind::questions: fill_questions(spec, wish, surroundings.has_window); break;
        case Kind::command:
        case Kind::edit:
        case Kind::permissions:
        case Kind::tool: CHECK_OK(fill_approval(spec, wish, surroundings.edit)); break;
        case Kind::form:
        case Kind::link: CHECK_OK(fill_form(spec, wish, surroundings.complaint)); break;
        case Kind::plan: fill_plan(spec, wish); break;
        case Kind::other:
            return reject(ErrorCode::unsupported, "Parley does not serve {}", wish.method);
    }
    return spec;
}

Result<Ruling> read_ruling(const Wish& wish, const Ask& settled) {
    switch (wish.kind) {
        case Kind::questions: return Ruling{.result = questions_result(wish, settled)};
        case Kind::form:
        case Kind::link: return form_ruling(wish, settled);
        case Kind::plan: return plan_ruling(settled);
        case Kind::command:
        case Kind::edit:
        case Kind::permissions:
        case Kind::tool:
        case Kind::other: break;
    }
    return read_approval(wish, settled);
}

bool shows_in_item(const Wish& wish) {
    // A part of an item is one of several that decide about it.
    return (wish.kind == Kind::command || wish.kind == Kind::edit) &&
           json::text_field(wish.params, "approvalId").empty();
}

std::optional<bool> was_permitted(const json::Value& item) {
    const std::string status = json::text_field(item, "status");
    if (status == "declined") return false;
    if (status == "completed" || status == "failed") return true;
    return std::nullopt;
}

Ruling refusal(const Wish& wish, std::string_view why) {
    AskSpec spec{.questions = questions_of(wish)};
    Ask ask;
    ask.spec = std::make_shared<const AskSpec>(std::move(spec));
    ask.settlement = std::make_shared<const Settlement>(
        Settlement{.outcome = Outcome::withdrawn,
                   .decider = {.kind = Decider::Kind::agent},
                   .note = fmt::format("the user could not be asked: {}", why)});
    return read_ruling(wish, ask).value_or(Ruling{.result = form_result("cancel")});
}

}  // namespace parley::codex
