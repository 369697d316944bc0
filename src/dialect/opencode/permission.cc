// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/permission.h"

#include <fmt/format.h>

#include "core/answers.h"
#include "core/json_fields.h"
#include "core/object_reader.h"
#include "core/permission.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/opencode/parts.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kPrefix = "per_";

struct Word {
    std::string_view reply;
    std::string_view label;
};
constexpr Word kWords[] = {{"once", permission::kAllowOnce},
                           {"always", permission::kAllowForSession},
                           {"reject", permission::kDeny}};

Rejection refuse(std::string message, std::string pointer) {
    Error error{ErrorCode::invalid, message};
    error.faults.push_back({std::move(pointer), std::move(message)});
    return reject(std::move(error));
}

// OpenCode's own names: its clients show a command, a file and a diff by them.
std::string kind_of_tool(std::string_view tool) {
    const std::string name = lower_ascii(tool);
    const bool edits = name == "write" || name == "multiedit" || name == "notebookedit";
    return edits ? "edit" : name;
}

void write_metadata(json::Writer& out, const AskSpec& spec) {
    out.begin_object().field("question", spec.questions.front().text);
    if (const std::string context = permission::context_text(spec); !context.empty())
        out.field("context", context);
    if (spec.permission) {
        const auto input = json::parse(spec.permission->input);
        const json::Value members = input ? *input : json::Value();
        const std::string command = json::text_field(members, "command");
        const std::string path = json::text_field(members, "file_path");
        if (!command.empty()) out.field("command", command);
        if (!path.empty()) out.field("filepath", path);
        write_optional(out, "diff", spec.permission->diff);
        out.key("input").raw(spec.permission->input);
    }
    out.end_object();
}

}  // namespace

std::string permission_id(AskId id) {
    const auto digits = id_digits(id.bits());
    return std::string(kPrefix).append(digits.data(), digits.size());
}

std::optional<AskId> parse_permission_id(std::string_view text) {
    if (!text.starts_with(kPrefix)) return std::nullopt;
    const auto bits = parse_id_digits(text.substr(kPrefix.size()));
    if (!bits) return std::nullopt;
    return AskId(*bits);
}

void write_permission(json::Writer& out, const Ask& ask) {
    const Question& question = ask.spec->questions.front();
    out.begin_object().field("id", permission_id(ask.id)).field("sessionID", ask.session.str());
    const auto& request = ask.spec->permission;
    const std::string kind = request ? kind_of_tool(request->tool) : question.header;
    out.field("permission", kind);
    out.key("patterns")
        .begin_array()
        .string(request ? request->summary : question.text)
        .end_array();
    write_metadata(out.key("metadata"), *ask.spec);
    out.key("always").begin_array().string(kind).end_array();
    const ToolCall call = shown_call(ask);
    out.key("tool").begin_object().field("messageID", call.message_id);
    out.field("callID", call.call_id).end_object().end_object();
}

std::string permission_replied_properties(const Ask& ask) {
    std::string_view reply = "reject";
    if (ask.settlement && ask.settlement->outcome == Outcome::answered) {
        const Answer& answer = answer_at(ask.settlement->answers, 0);
        for (const Word& word : kWords) {
            if (!answer.selected.empty() && answer.selected.front() == word.label)
                reply = word.reply;
        }
    }
    std::string text;
    json::Writer out(text);
    out.begin_object().field("sessionID", ask.session.str());
    out.field("requestID", permission_id(ask.id)).field("reply", reply).end_object();
    return text;
}

Result<PermissionReply> read_permission_reply(const std::optional<json::Value>& body,
                                              std::string_view key) {
    if (!body) return refuse("Expected object, got undefined", "");
    const json::Object* object = body->if_object();
    if (object == nullptr)
        return refuse(fmt::format("Expected object, got {}", json::serialize(*body)), "");
    const std::string where = fmt::format("\n  at [\"{}\"]", key);
    const json::Value* reply = object->if_contains(key);
    if (reply == nullptr) return refuse("Missing key" + where, fmt::format("/{}", key));
    for (const Word& word : kWords) {
        if (!reply->is_string() || view_of(reply->get_string()) != word.reply) continue;
        Answer answer{.selected = {std::string(word.label)}};
        const json::Value* message = object->if_contains("message");
        if (message != nullptr && message->is_string() && !message->get_string().empty())
            answer.note = std::string(message->get_string());
        const bool stops = word.label == permission::kDeny && !answer.note;
        return PermissionReply{.answers = {std::move(answer)}, .stops = stops};
    }
    return refuse(fmt::format("Expected \"once\" | \"always\" | \"reject\", got {}{}",
                              json::serialize(*reply), where),
                  fmt::format("/{}", key));
}

}  // namespace parley::opencode
