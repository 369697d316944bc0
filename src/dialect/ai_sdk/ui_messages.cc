// SPDX-License-Identifier: Apache-2.0
// What chat pages on the AI SDK post, and the short answers to it.
#include "dialect/ai_sdk/ui_messages.h"

#include <fmt/format.h>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "core/value_json.h"
#include "dialect/attachments.h"
#include "dialect/claude/ask_user_question.h"
#include "dialect/joined.h"

namespace parley::ai_sdk {

namespace {

Result<json::Value> parse_body(std::string_view body) {
    auto document = json::parse(body);
    if (!document) return reject(ErrorCode::invalid, "Invalid JSON");
    return document;
}

const json::Value* field(const json::Value& value, std::string_view name) {
    const json::Object* object = value.if_object();
    return object == nullptr ? nullptr : object->if_contains(name);
}

std::string_view text_field(const json::Value& value, std::string_view name) {
    const json::Value* found = field(value, name);
    return found != nullptr && found->is_string() ? view_of(found->get_string())
                                                  : std::string_view();
}

bool is_map_of_texts(const json::Value* value) {
    const json::Object* object = value == nullptr ? nullptr : value->if_object();
    if (object == nullptr) return false;
    for (const auto& entry : *object)
        if (!entry.value().is_string()) return false;
    return true;
}

// Messages are `{role, parts: […]}`; older SDKs had `content` instead of parts.
std::string text_of(const json::Value& message) {
    std::string text;
    const json::Value* parts = field(message, "parts");
    if (parts == nullptr || !parts->is_array()) return std::string(text_field(message, "content"));
    for (const json::Value& part : parts->get_array()) {
        std::string said;
        if (text_field(part, "type") == "text") {
            said = text_field(part, "text");
        } else if (text_field(part, "type") == "file") {
            said = attachment_text(part).value_or(std::string());
        }
        if (!text.empty() && !said.empty()) text += '\n';
        text += said;
    }
    return text;
}

bool is_tool_part(std::string_view type) {
    return type.starts_with("tool-") || type == "dynamic-tool";
}

void read_parts(const json::Value& message, ChatRequest& chat) {
    const json::Value* parts = field(message, "parts");
    if (parts == nullptr || !parts->is_array()) return;
    for (const json::Value& part : parts->get_array()) {
        std::string call(text_field(part, "toolCallId"));
        if (!is_tool_part(text_field(part, "type")) || call.empty()) continue;
        const std::string_view state = text_field(part, "state");
        chat.calls.insert(call);
        if (state == "output-available") {
            const json::Value* output = field(part, "output");
            chat.outputs.push_back({.call_id = std::move(call),
                                    .output = output == nullptr ? json::Value() : *output});
        } else if (state == "output-error") {
            chat.outputs.push_back(
                {.call_id = std::move(call), .error = std::string(text_field(part, "errorText"))});
        }
    }
}

}  // namespace

Result<ToolAnswers> read_tool_result(std::string_view body) {
    TRY(document, parse_body(body));
    const std::string_view session = text_field(document, "sessionId");
    const std::string_view call = text_field(document, "toolUseId");
    const json::Value* answers = field(document, "answers");
    std::string missing;
    const auto miss = [&](std::string_view name) {
        missing += missing.empty() ? "" : ", ";
        missing += name;
    };
    if (session.empty()) miss("sessionId");
    if (call.empty()) miss("toolUseId");
    if (!is_map_of_texts(answers)) miss("answers (an object of strings)");
    if (!missing.empty()) return reject(ErrorCode::invalid, "Missing required fields: {}", missing);
    return ToolAnswers{
        .session = std::string(session), .tool_use_id = std::string(call), .answers = *answers};
}

Result<Answers> read_answers(const std::vector<Question>& questions, const json::Value& answers) {
    Faults faults;
    const json::Path root;
    Answers read =
        claude::read_answers(questions, answers, JoinStyle::plain, root / "answers", faults);
    return std::move(faults).give(std::move(read));
}

Result<ChatRequest> read_chat(std::string_view body) {
    TRY(document, parse_body(body));
    ChatRequest chat;
    chat.session = text_field(document, "id");
    if (chat.session.empty()) chat.session = text_field(document, "sessionId");
    const json::Value* messages = field(document, "messages");
    const bool has_messages =
        messages != nullptr && messages->is_array() && !messages->get_array().empty();
    if (chat.session.empty() || !has_messages) {
        return reject(ErrorCode::invalid, "Missing required fields: {}",
                      has_messages ? "id" : "messages (a list that is not empty)");
    }
    for (const json::Value& message : messages->get_array()) read_parts(message, chat);
    const json::Value& last = messages->get_array().back();
    if (text_field(last, "role") == "user") {
        chat.said = text_of(last);
        if (chat.said->empty()) return reject(ErrorCode::invalid, "the last message has no text");
    } else {
        chat.message_id = text_field(last, "id");
    }
    if (const json::Value* finish = field(document, "finishOnAsk"))
        chat.finishes_on_ask = finish->is_bool() && finish->get_bool();
    return chat;
}

Result<Answers> read_output(const std::vector<Question>& questions, const json::Value& output) {
    if (output.is_string() && questions.size() == 1) {
        Faults faults;
        const json::Path root;
        Answers answers{read_joined_value(questions.front(), output, JoinStyle::plain,
                                          root / "output", faults)};
        return std::move(faults).give(std::move(answers));
    }
    const json::Value* answers = field(output, "answers");
    if (answers != nullptr && answers->is_array())
        return claude::read_tool_output(questions, output);
    return read_answers(questions, answers == nullptr ? output : *answers);
}

std::string error_document(std::string_view message, const std::vector<Fault>& faults) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field("error", message);
    if (!faults.empty()) {
        out.key("errors").begin_array();
        for (const Fault& fault : faults) {
            out.begin_object().field("path", fault.path).field("detail", fault.detail).end_object();
        }
        out.end_array();
    }
    out.end_object();
    return text;
}

std::string resolution(bool is_resolved, const Ask* ask) {
    std::string text;
    json::Writer out(text);
    out.begin_object().field_bool("resolved", is_resolved);
    if (!is_resolved && (ask == nullptr || !ask->settlement)) {
        out.field("outcome", "unknown");
    } else if (!is_resolved) {
        out.field("outcome", to_string(ask->settlement->outcome));
        write_decider(out.key("decider"), ask->settlement->decider);
        out.field("door", ask->settlement->door);
        write_time(out, "at", ask->settlement->at);
    }
    out.end_object();
    return text;
}

std::string call_of(const Ask& ask) {
    const auto& tool = ask.spec->tool;
    return tool && !tool->call_id.empty() ? tool->call_id : ask.id.str();
}

}  // namespace parley::ai_sdk
