// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/requests.h"

#include <fmt/format.h>

#include <utility>

#include "core/object_reader.h"
#include "core/text_rules.h"
#include "dialect/attachments.h"

namespace parley::opencode {

namespace {

Rejection wrong(std::string_view expected, const json::Value& got, std::string_view where) {
    return reject(ErrorCode::invalid, "Expected {}, got {}{}", expected, json::serialize(got),
                  where);
}

Result<std::optional<std::string>> read_text(const json::Object& object, std::string_view key) {
    const json::Value* value = object.if_contains(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (!value->is_string()) return wrong("string", *value, fmt::format("\n  at [\"{}\"]", key));
    return std::optional(std::string(value->get_string()));
}

Result<std::optional<std::string>> read_title(const json::Object& object) {
    TRY(title, read_text(object, "title"));
    Faults faults;
    if (title) check_text(*title, name_rule("the title"), json::Path() / "title", faults);
    if (faults.empty()) return title;
    return reject(ErrorCode::invalid, "{}\n  at [\"title\"]", faults.list().front().detail);
}

Result<std::string> read_part(const json::Value& part, std::size_t index) {
    const std::string where = fmt::format("\n  at [\"parts\"][{}]", index);
    const json::Object* object = part.if_object();
    if (object == nullptr) return wrong("object", part, where);
    const json::Value* type = object->if_contains("type");
    if (type == nullptr || !type->is_string())
        return reject(ErrorCode::invalid, "Missing key{}[\"type\"]", where);
    if (view_of(type->get_string()) == "file") {
        auto file = attachment_text(part);
        if (!file) return reject(ErrorCode::invalid, "Missing key{}[\"url\"]", where);
        return std::move(*file);
    }
    if (view_of(type->get_string()) != "text")
        return reject(ErrorCode::invalid,
                      "Only text and files can be told to the agent here, got a part of type "
                      "{}{}[\"type\"]",
                      json::serialize(*type), where);
    const json::Value* text = object->if_contains("text");
    if (text == nullptr || !text->is_string())
        return reject(ErrorCode::invalid, "Missing key{}[\"text\"]", where);
    return std::string(text->get_string());
}

}  // namespace

Result<SessionInput> read_session_input(const std::optional<json::Value>& body) {
    if (!body || body->is_null()) return SessionInput{};
    const json::Object* object = body->if_object();
    if (object == nullptr) return wrong("object", *body, "");
    SessionInput input;
    TRY(parent, read_text(*object, "parentID"));
    TRY(title, read_title(*object));
    input.parent = std::move(parent);
    input.title = std::move(title);
    return input;
}

Result<std::optional<std::string>> read_new_title(const std::optional<json::Value>& body) {
    if (!body) return reject(ErrorCode::invalid, "Expected object, got undefined");
    const json::Object* object = body->if_object();
    if (object == nullptr) return wrong("object", *body, "");
    return read_title(*object);
}

Result<std::string> read_prompt(const std::optional<json::Value>& body) {
    if (!body) return reject(ErrorCode::invalid, "Expected object, got undefined");
    const json::Object* object = body->if_object();
    if (object == nullptr) return wrong("object", *body, "");
    const json::Value* parts = object->if_contains("parts");
    if (parts == nullptr) return reject(ErrorCode::invalid, "Missing key\n  at [\"parts\"]");
    const json::Array* list = parts->if_array();
    if (list == nullptr) return wrong("array", *parts, "\n  at [\"parts\"]");
    std::string text;
    for (std::size_t i = 0; i < list->size(); ++i) {
        TRY(part, read_part((*list)[i], i));
        if (!text.empty()) text += "\n\n";
        text += part;
    }
    return text;
}

}  // namespace parley::opencode
