// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/json_fields.h"
#include "core/model_text.h"
#include "core/permission.h"
#include "core/questions.h"
#include "core/text_rules.h"
#include "dialect/limits.h"
#include "dialect/mcp/tools.h"
#include "dialect/opencode/server_events.h"

namespace parley::opencode {

namespace {

using json::field;
using json::text_field;
using Kind = Wish::Kind;

constexpr std::string_view kOnceWords = "This call and no other";
constexpr std::string_view kDenyWords =
    "Words of yours are told to its model, which goes on; without any OpenCode ends the turn. "
    "Whatever else this session waits to be allowed is denied too";

std::vector<std::string> texts_of(const json::Value& list) {
    std::vector<std::string> texts;
    if (const json::Array* entries = list.if_array())
        for (const json::Value& entry : *entries)
            if (entry.is_string()) texts.emplace_back(view_of(entry.get_string()));
    return texts;
}

// Each on a line that nothing in it can end, as code.
std::string code_lines(const std::vector<std::string>& texts) {
    std::string lines;
    for (const std::string& text : texts)
        lines += fmt::format("\n    {}", one_line(text, limits::kRuleTextChars));
    return lines;
}

std::string_view rule_words(std::string_view rule) {
    if (rule == "external_directory") return "It is outside of the project.";
    if (rule == "doom_loop") return "It makes the same call again and again.";
    return {};
}

void add_paragraph(std::string& text, std::string_view more) {
    if (more.empty()) return;
    if (!text.empty()) text += "\n\n";
    text += more;
}

std::string sub_agent_words(const Surroundings& surroundings) {
    if (surroundings.sub_agent.empty()) return {};
    return fmt::format("Its sub-agent “{}” wants to know.",
                       one_line(surroundings.sub_agent, limits::kOpencodeTitleChars));
}

// What "always" would let through; nothing if it cannot be seen whole where it is chosen.
std::optional<Option> always_option(const Wish& wish) {
    std::string patterns;
    for (const std::string& pattern : texts_of(field(wish.request, "always"))) {
        if (pattern != one_line(pattern, limits::kRuleTextChars)) return std::nullopt;
        patterns += fmt::format("{}{}", patterns.empty() ? "" : ", ", pattern);
    }
    if (patterns.empty() || patterns.size() > limits::kRuleTextChars) return std::nullopt;
    return Option{std::string(permission::kAllowForSession),
                  fmt::format("Until OpenCode is restarted, in every session of this folder: no "
                              "question about {} for {}",
                              text_field(wish.request, "permission"), patterns)};
}

// All that OpenCode says of a call that it does not show: its metadata and what it asks for, whole.
json::Value said_of_call(const Wish& wish) {
    const json::Value& metadata = field(wish.request, "metadata");
    const json::Object* members = metadata.if_object();
    json::Object said;
    if (members != nullptr && !members->contains("patterns")) {
        said = *members;
    } else if (!metadata.is_null()) {
        said["metadata"] = metadata;
    }
    said["patterns"] = field(wish.request, "patterns");
    return said;
}

AskSpec permission_spec(const Wish& wish, const Surroundings& surroundings) {
    const std::string rule = text_field(wish.request, "permission");
    const json::Value& metadata = field(wish.request, "metadata");
    AskSpec spec{.questions = {}, .agent = std::string(kAgent)};
    const bool is_call_known = !surroundings.tool.empty();
    spec.permission = PermissionRequest{
        .tool = one_line(is_call_known ? surroundings.tool : rule, limits::kOpencodeTitleChars),
        .input = permission::input_text(is_call_known ? surroundings.input : said_of_call(wish))};
    if (std::string diff = text_field(metadata, "diff"); !diff.empty())
        spec.permission->diff = std::move(diff);
    Faults faults;
    permission::check(*spec.permission, {}, faults);
    Question question{.text = permission::question_text(kCalled, *spec.permission),
                      .header = "Permission",
                      .options = {{std::string(permission::kAllowOnce), std::string(kOnceWords)}}};
    if (auto always = always_option(wish)) question.options.push_back(std::move(*always));
    question.options.push_back({std::string(permission::kDeny), std::string(kDenyWords)});
    spec.questions = {std::move(question)};
    std::string context = sub_agent_words(surroundings);
    add_paragraph(context, rule_words(rule));
    add_paragraph(context, fmt::format("OpenCode asks about `{}` for:\n{}",
                                       one_line(rule, limits::kOpencodeTitleChars),
                                       code_lines(texts_of(field(wish.request, "patterns")))));
    spec.context = std::move(context);
    return spec;
}

std::string_view path_of(Kind kind) {
    return kind == Kind::questions ? "/question" : "/permission";
}

std::string request_path(const Wish& wish, std::string_view act) {
    return fmt::format("{}/{}/{}", path_of(wish.kind), wish.id, act);
}

std::string about(const Ask& ask, std::string_view words) {
    const std::string what =
        ask.spec->permission ? ask.spec->permission->summary : ask.spec->questions.front().text;
    return fmt::format("About “{}”: {}", one_line(what, limits::kOpencodeTitleChars), words);
}

// Labels, then what was typed: OpenCode joins them for its model.
std::string answers_body(const Ask& settled) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("answers").begin_array();
    for (const Answer& answer : settled.settlement->answers) {
        out.begin_array();
        for (const std::string& label : answer.selected) out.string(label);
        if (answer.other) out.string(*answer.other);
        if (answer.note) out.string(fmt::format("note: {}", *answer.note));
        out.end_array();
    }
    out.end_array().end_object();
    return text;
}

Ruling question_verdict(const Wish& wish, const Ask& settled) {
    switch (settled.state()) {
        case AskState::answered: return {request_path(wish, "reply"), answers_body(settled)};
        case AskState::dismissed: {
            Ruling ruling = rejection(wish);
            if (settled.settlement->note) ruling.words = about(settled, *settled.settlement->note);
            return ruling;
        }
        case AskState::timed_out: {
            Ruling ruling = rejection(wish);
            ruling.words = about(settled, model_text(settled));
            return ruling;
        }
        case AskState::withdrawn:
        case AskState::pending: break;
    }
    return rejection(wish);
}

Ruling permission_reply(const Wish& wish, std::string_view reply, std::string_view message = {}) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("reply", reply);
    if (!message.empty()) out.field("message", message);
    out.end_object();
    return {request_path(wish, "reply"), std::move(text)};
}

std::string words_of(const Answer& answer) {
    std::string words;
    for (const auto& each : {answer.other, answer.note})
        if (each) words += (words.empty() ? "" : "\n") + *each;
    return words;
}

Ruling decided_permission(const Wish& wish, const Ask& settled) {
    const Answer& answer = settled.settlement->answers.front();
    const std::string words = words_of(answer);
    // Own words in place of a choice are a denial that says them.
    const std::string_view label =
        answer.other || answer.selected.empty() ? permission::kDeny : answer.selected.front();
    if (label != permission::kAllowOnce && label != permission::kAllowForSession)
        return permission_reply(wish, "reject", words);
    Ruling ruling = permission_reply(wish, label == permission::kAllowOnce ? "once" : "always");
    if (!words.empty()) ruling.words = about(settled, words);
    return ruling;
}

Ruling permission_verdict(const Wish& wish, const Ask& settled) {
    switch (settled.state()) {
        case AskState::answered: return decided_permission(wish, settled);
        case AskState::dismissed:
            return permission_reply(wish, "reject", settled.settlement->note.value_or(""));
        case AskState::timed_out: return permission_reply(wish, "reject", model_text(settled));
        case AskState::withdrawn:
        case AskState::pending: break;
    }
    return rejection(wish);
}

}  // namespace

std::optional<Wish> read_wish(Kind kind, std::string_view directory, const json::Value& request) {
    Wish wish{.kind = kind,
              .id = text_field(request, "id"),
              .session = text_field(request, "sessionID"),
              .directory = std::string(directory),
              .message = text_field(field(request, "tool"), "messageID"),
              .call = text_field(field(request, "tool"), "callID"),
              .request = request};
    if (wish.id.empty() || wish.session.empty()) return std::nullopt;
    return wish;
}

std::optional<std::vector<Wish>> read_wishes(Kind kind, std::string_view directory,
                                             const json::Value& list) {
    const json::Array* entries = list.if_array();
    if (entries == nullptr) return std::nullopt;
    std::vector<Wish> wishes;
    for (const json::Value& entry : *entries)
        if (auto wish = read_wish(kind, directory, entry)) wishes.push_back(std::move(*wish));
    return wishes;
}

std::string_view list_path(Kind kind) {
    return path_of(kind);
}

std::string wish_key(std::string_view session, std::string_view id) {
    return fmt::format("{}:{}", one_line(session, limits::kOpencodeIdChars),
                       one_line(id, limits::kOpencodeIdChars));
}

bool is_own(const Wish& wish) {
    if (wish.kind != Kind::permission) return false;
    // OpenCode names the tools of an MCP server so.
    const std::string rule = text_field(wish.request, "permission");
    constexpr std::array kTools = {mcp::kAskUser, mcp::kAskPerson, mcp::kWaitAnswer,
                                   mcp::kNotifyUser};
    return std::ranges::any_of(
        kTools, [&](std::string_view tool) { return rule == fmt::format("parley_{}", tool); });
}

void read_call(const Wish& wish, const json::Value& message, Surroundings& surroundings) {
    const json::Array* parts = json::list_field(message, "parts");
    if (parts == nullptr) return;
    for (const json::Value& part : *parts) {
        if (text_field(part, "callID") != wish.call || wish.call.empty()) continue;
        const json::Value& input = field(field(part, "state"), "input");
        if (!input.is_object() || input.get_object().empty()) return;
        surroundings.tool = text_field(part, "tool");
        surroundings.input = input;
        return;
    }
}

Result<AskSpec> make_spec(const Wish& wish, const Surroundings& surroundings) {
    if (wish.kind == Kind::permission) return permission_spec(wish, surroundings);
    TRY(questions, read_questions(field(wish.request, "questions"), kOpenProfile));
    AskSpec spec{.questions = std::move(questions), .agent = std::string(kAgent)};
    if (std::string words = sub_agent_words(surroundings); !words.empty())
        spec.context = std::move(words);
    return spec;
}

Ruling read_ruling(const Wish& wish, const Ask& settled) {
    return wish.kind == Kind::questions ? question_verdict(wish, settled)
                                        : permission_verdict(wish, settled);
}

Ruling passing(const Wish& wish) {
    return permission_reply(wish, "once");
}

Ruling rejection(const Wish& wish) {
    if (wish.kind == Kind::questions) return {request_path(wish, "reject")};
    return permission_reply(wish, "reject");
}

bool is_cut(const Ruling& ruling) {
    constexpr std::string_view kBreak = "\\n";  // as JSON has it
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = ruling.body.find(kBreak, at)) != std::string::npos;
         at += kBreak.size())
        ++lines;
    return ruling.body.size() > limits::kOpencodeAnswerBytes ||
           lines > limits::kOpencodeAnswerLines;
}

}  // namespace parley::opencode
