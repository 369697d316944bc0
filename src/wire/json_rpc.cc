// SPDX-License-Identifier: Apache-2.0
#include "wire/json_rpc.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "wire/limits.h"

namespace parley::wire::rpc {

namespace {

std::optional<Id> read_id(const json::Value& value) {
    if (value.is_null()) return Id{};
    if (const auto* text = value.if_string()) {
        // It is held for as long as the call is, and that may wait for a person.
        if (text->size() > limits::kRpcIdBytes) return std::nullopt;
        return Id{std::string(text->data(), text->size())};
    }
    if (const auto* number = value.if_int64()) return Id{*number};
    return std::nullopt;
}

json::Value member(const json::Object& object, std::string_view name) {
    const json::Value* found = object.if_contains({name.data(), name.size()});
    return found != nullptr ? *found : json::Value();
}

Malformed malformed(Id id, std::string message) {
    return Malformed{.id = std::move(id), .message = std::move(message)};
}

Message read_call(const json::Object& object, const json::Value& method, std::optional<Id> id) {
    const auto* name = method.if_string();
    const Id answer_to = id.value_or(Id{});
    if (name == nullptr) return malformed(answer_to, "\"method\" must be a string");
    json::Value params = member(object, "params");
    if (!params.is_null() && !params.is_object() && !params.is_array()) {
        return malformed(answer_to, "\"params\" must be an object or an array");
    }
    std::string text(name->data(), name->size());
    if (!object.contains("id")) return Notification{std::move(text), std::move(params)};
    return Request{answer_to, std::move(text), std::move(params)};
}

Message read_failure(const json::Value& error, Id id) {
    const auto* object = error.if_object();
    if (object == nullptr) return malformed(std::move(id), "\"error\" must be an object");
    const json::Value code = member(*object, "code");
    const json::Value message = member(*object, "message");
    const auto* number = code.if_int64();
    const auto* text = message.if_string();
    if (number == nullptr || text == nullptr || !std::in_range<int>(*number)) {
        return malformed(std::move(id), "\"error\" needs an integer code and a message");
    }
    return Failure{.id = std::move(id),
                   .code = static_cast<int>(*number),
                   .message = std::string(text->data(), text->size()),
                   .data = member(*object, "data")};
}

void begin_message(json::Writer& out) {
    out.begin_object().field("jsonrpc", "2.0");
}

void write_optional(json::Writer& out, std::string_view name, std::string_view text) {
    if (!text.empty()) out.key(name).raw(text);
}

}  // namespace

Message read_message(const json::Value& value) {
    const auto* object = value.if_object();
    if (object == nullptr) return malformed({}, "a message must be an object");
    const json::Value raw_id = member(*object, "id");
    const auto id = read_id(raw_id);
    if (!id)
        return malformed({}, fmt::format("\"id\" must be a string of at most {} bytes, an integer "
                                         "or null",
                                         limits::kRpcIdBytes));
    const json::Value version = member(*object, "jsonrpc");
    if (!version.is_string() || version.get_string() != "2.0") {
        return malformed(*id, "\"jsonrpc\" must be \"2.0\"");
    }
    if (const auto* method = object->if_contains("method")) return read_call(*object, *method, id);
    const auto* result = object->if_contains("result");
    const auto* error = object->if_contains("error");
    if ((result == nullptr) == (error == nullptr)) {
        return malformed(*id, "a message needs one of \"method\", \"result\" and \"error\"");
    }
    if (error != nullptr) return read_failure(*error, *id);
    return Response{*id, *result};
}

Document parse(std::string_view text, json::ParseLimits limits) {
    Document document;
    const auto value = json::parse(text, limits);
    if (!value) {
        document.messages.emplace_back(
            Malformed{.id = {}, .code = kParseError, .message = value.error().message});
        return document;
    }
    const auto* array = value->if_array();
    if (array == nullptr) {
        document.messages.push_back(read_message(*value));
        return document;
    }
    if (array->empty()) {
        document.messages.emplace_back(malformed({}, "a batch must not be empty"));
        return document;
    }
    document.batch = true;
    document.messages.reserve(array->size());
    for (const json::Value& element : *array) document.messages.push_back(read_message(element));
    return document;
}

void write_id(json::Writer& out, const Id& id) {
    if (const auto* text = std::get_if<std::string>(&id.value)) {
        out.string(*text);
    } else if (const auto* number = std::get_if<std::int64_t>(&id.value)) {
        out.number(*number);
    } else {
        out.null();
    }
}

std::string write_request(const Id& id, std::string_view method, std::string_view params) {
    std::string text;
    json::Writer out(text);
    begin_message(out);
    out.key("id");
    write_id(out, id);
    out.field("method", method);
    write_optional(out, "params", params);
    out.end_object();
    return text;
}

std::string write_notification(std::string_view method, std::string_view params) {
    std::string text;
    json::Writer out(text);
    begin_message(out);
    out.field("method", method);
    write_optional(out, "params", params);
    out.end_object();
    return text;
}

std::string write_response(const Id& id, std::string_view result) {
    std::string text;
    json::Writer out(text);
    begin_message(out);
    out.key("id");
    write_id(out, id);
    out.key("result").raw(result);
    out.end_object();
    return text;
}

std::string write_failure(const Id& id, int code, std::string_view message, std::string_view data) {
    std::string text;
    json::Writer out(text);
    begin_message(out);
    out.key("id");
    write_id(out, id);
    out.key("error").begin_object().field_int("code", code).field("message", message);
    write_optional(out, "data", data);
    out.end_object().end_object();
    return text;
}

}  // namespace parley::wire::rpc
