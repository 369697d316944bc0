// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "mcp_fixtures/fixtures.h"

namespace parley::mcp {

namespace {

std::string_view text_of(const json::Value& value) {
    return {value.get_string().data(), value.get_string().size()};
}

std::string filled_text(std::string text, const Words& words) {
    for (const auto& [name, word] : words) {
        const std::string mark = fmt::format("{{{{{}}}}}", name);
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += word.size())
            text.replace(at, mark.size(), word);
    }
    return text;
}

std::string word_of(const json::Value& value) {
    return value.is_string() ? std::string(text_of(value)) : json::serialize(value);
}

}  // namespace

json::Value filled(const json::Value& value, const Words& words) {
    if (value.is_string()) {
        const std::string text = filled_text(std::string(text_of(value)), words);
        return json::Value(text.c_str());
    }
    if (const json::Array* list = value.if_array()) {
        json::Array copy;
        for (const json::Value& element : *list) copy.push_back(filled(element, words));
        return copy;
    }
    if (const json::Object* object = value.if_object()) {
        json::Object copy;
        for (const auto& [name, element] : *object) copy[name] = filled(element, words);
        return copy;
    }
    return value;
}

Words words_of(const json::Value& arguments) {
    Words words;
    if (const json::Object* object = arguments.if_object())
        for (const auto& [name, value] : *object) words[std::string(name)] = word_of(value);
    return words;
}

void add_reply_words(const json::Value& reply, Words& words) {
    words["reply"] = fmt::format(
        "action={}, content={}", text_member(reply, "action").value_or("none"),
        member(reply, "content") == nullptr ? "{}" : json::serialize(*member(reply, "content")));
    for (const std::string_view part : {"content", "roots"}) {
        const json::Value* found = member(reply, part);
        if (found == nullptr) continue;
        words[std::string(part)] = word_of(*found);
        for (auto& [name, word] : words_of(*found)) words[name] = word;
    }
}

bool can(const ClientInfo& client, std::string_view method) {
    return member(client.capabilities, method.substr(0, method.find('/'))) != nullptr;
}

void refuse_without(Call& call, const json::Value& capabilities) {
    json::Object data;
    data["requiredCapabilities"] = capabilities;
    call.fail(kMissingCapability, "the client lacks a capability", json::serialize(data));
}

void complete_with(Call& call, const json::Value& result, std::string_view type) {
    call.complete_as(type, [&](json::Writer& out) {
        for (const auto& [name, value] : result.as_object())
            out.key(std::string_view(name.data(), name.size())).value(value);
    });
}

void complete_with_text(Call& call, std::string_view text, bool is_error) {
    call.complete([&](json::Writer& out) {
        out.key("content").begin_array().begin_object();
        out.field("type", "text").field("text", text).end_object().end_array();
        if (is_error) out.field_bool("isError", true);
    });
}

}  // namespace parley::mcp
