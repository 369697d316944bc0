// SPDX-License-Identifier: Apache-2.0
#include "mcp_fixtures/fixtures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "text/json_object.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

constexpr auto kStep = std::chrono::milliseconds(50);
constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";

// "@png" stands for the picture at the end of the file.
json::Value with_media(const json::Value& value, const json::Object& data) {
    if (value.is_string() && value.get_string().starts_with("@"))
        return data.at(value.get_string().subview(1));
    if (const json::Array* list = value.if_array()) {
        json::Array copy;
        for (const json::Value& element : *list) copy.push_back(with_media(element, data));
        return copy;
    }
    if (const json::Object* object = value.if_object()) {
        json::Object copy;
        for (const auto& [name, element] : *object) copy[name] = with_media(element, data);
        return copy;
    }
    return value;
}

const json::Value* find_by(const json::Value& list, std::string_view key, std::string_view name) {
    for (const json::Value& element : list.as_array())
        if (text_member(element, key) == name) return &element;
    return nullptr;
}

const json::Value& arguments_of(const Call& call) {
    static const json::Value kNone{json::Object()};
    const json::Value* given = member(call.params(), "arguments");
    return given == nullptr ? kNone : *given;
}

void write_cache(json::Writer& out, const Call& call) {
    if (call.is_modern()) out.field_int("ttlMs", 0).field("cacheScope", "private");
}

void write_input_schema(json::Writer& out, const json::Value& tool) {
    out.key("inputSchema");
    if (const json::Value* schema = member(tool, "inputSchema")) {
        out.value(*schema);
        return;
    }
    out.begin_object().field("type", "object").key("properties").begin_object();
    if (const json::Value* names = member(tool, "arguments"))
        for (const json::Value& name : names->as_array())
            out.key(name.as_string()).begin_object().field("type", "string").end_object();
    out.end_object().end_object();
}

// What a request of ours must be answered with.
bool is_reply_to(std::string_view method, const json::Value* reply) {
    if (reply == nullptr || !reply->is_object()) return false;
    if (method == "elicitation/create") return text_member(*reply, "action").has_value();
    return member(*reply, method == "roots/list" ? "roots" : "content") != nullptr;
}

}  // namespace

Fixtures::Fixtures(json::Value data, Executor& home, const Clock& clock)
    : data_(with_media(data, data.as_object())), home_(home), clock_(clock), tasks_(home, clock) {}

void Fixtures::write_capabilities(json::Writer& out, const ClientInfo& client) const {
    out.key("prompts").begin_object().end_object();
    out.key("completions").begin_object().end_object();
    out.key("resources").begin_object();
    if (client.era == Era::legacy) out.field_bool("subscribe", true);
    out.end_object().key("logging").begin_object().end_object();
}

void Fixtures::write_tools(json::Writer& out, const ClientInfo&) const {
    for (const json::Value& tool : data_.at("tools").as_array()) {
        out.begin_object().field("name", tool.at("name").as_string());
        out.field("description", "A fixture of the conformance suite.");
        write_input_schema(out, tool);
        out.end_object();
    }
}

bool Fixtures::take(Conversation& conversation, const std::shared_ptr<Call>& call) {
    const std::string& method = call->method();
    if (method == "tools/call") return call_tool(conversation, call);
    if (method.starts_with("tasks/")) return tasks_.take(*call);
    if (method == "prompts/get") {
        get_prompt(*call);
    } else if (method == "resources/read") {
        read_resource(*call);
    } else if (method == "completion/complete") {
        complete_with(*call, json::Object{{"completion", json::Object{{"values", json::Array()}}}});
    } else if (!call->is_modern() &&
               (method == "logging/setLevel" || method == "resources/subscribe" ||
                method == "resources/unsubscribe")) {
        call->complete([](json::Writer&) {});
    } else {
        return take_list(*call);
    }
    return true;
}

bool Fixtures::call_tool(Conversation& conversation, const std::shared_ptr<Call>& call) {
    const json::Value* tool =
        find_by(data_.at("tools"), "name", text_member(call->params(), "name").value_or(""));
    if (tool == nullptr) return false;
    Words words = words_of(arguments_of(*call));
    const auto demanded = text_member(*tool, "demands");
    if (demanded && !can(call->client(), *demanded)) {
        refuse_without(*call, json::Object{{*demanded, json::Object()}});
    } else if (member(*tool, "ask") != nullptr) {
        ask(conversation, call);
    } else if (member(*tool, "request") != nullptr) {
        request(conversation, call, *tool);
    } else if (member(*tool, "rounds") != nullptr && !gather(*call, *tool, words)) {
        return true;
    } else if (member(*tool, "task") != nullptr) {
        tasks_.run(call, *tool, words);
    } else if (const json::Value* text = member(*tool, "text")) {
        complete_with_text(*call, filled(*text, words).as_string());
    } else {
        run_steps(call, *tool, 0);
    }
    return true;
}

// A real ask of the broker, which its deadline ends.
void Fixtures::ask(Conversation& conversation, const std::shared_ptr<Call>& call) const {
    const json::Value* seconds = member(arguments_of(*call), "seconds");
    constexpr double kShortest = 0.05;
    const double wanted = seconds == nullptr ? kShortest : seconds->to_number<double>();
    const auto arguments = json::parse(fmt::format(
        R"({{"questions":[{{"question":"Compute?","header":"Compute","multiSelect":false,)"
        R"("options":[{{"label":"Yes","description":""}},{{"label":"No","description":""}}]}}],)"
        R"("timeout_seconds":{}}})",
        std::max(wanted, kShortest)));
    conversation.ask_user(call, *arguments);
}

void Fixtures::run_steps(const std::shared_ptr<Call>& call, const json::Value& tool,
                         std::size_t step) {
    const json::Value* steps = member(tool, "progress");
    if (steps == nullptr) steps = member(tool, "log");
    if (call->is_over()) return;
    if (steps == nullptr || step == steps->as_array().size())
        return complete_with(*call, tool.at("result"));
    send_step(*call, tool, step);
    home_.post_at(clock_.mono() + kStep,
                  [this, call, &tool, step] { run_steps(call, tool, step + 1); });
}

void Fixtures::send_step(Call& call, const json::Value& tool, std::size_t step) const {
    const json::Value* meta = member(call.params(), "_meta");
    if (const json::Value* steps = member(tool, "progress")) {
        const json::Value* token = meta == nullptr ? nullptr : member(*meta, "progressToken");
        if (token == nullptr) return;
        call.send(rpc::write_notification(
            "notifications/progress", json::object_text([&](json::Writer& out) {
                out.key("progressToken").value(*token);
                out.key("progress").value(steps->as_array()[step]).field_int("total", 100);
            })));
        return;
    }
    const bool wants_logs =
        !call.is_modern() || (meta != nullptr && member(*meta, kMetaLogLevel) != nullptr);
    if (!wants_logs) return;
    call.send(
        rpc::write_notification("notifications/message", json::object_text([&](json::Writer& out) {
                                    out.field("level", "info").key("data");
                                    out.value(tool.at("log").as_array()[step]);
                                })));
}

void Fixtures::request(Conversation& conversation, const std::shared_ptr<Call>& call,
                       const json::Value& tool) {
    const json::Value& wanted = tool.at("request");
    const std::string method(wanted.at("method").as_string());
    if (call->is_modern() || !can(call->client(), method))
        return complete_with_text(*call, "the client cannot do this", true);
    const json::Value params = filled(wanted.at("params"), words_of(arguments_of(*call)));
    conversation.request(*call, method, json::serialize(params),
                         [call, &tool](const Result<json::Value>& reply) {
                             if (!reply)
                                 return complete_with_text(*call, reply.error().message, true);
                             Words words;
                             add_reply_words(*reply, words);
                             complete_with_text(*call, filled(tool.at("text"), words).as_string());
                         });
}

bool Fixtures::gather(Call& call, const json::Value& fixture, Words& words) const {
    const json::Array& rounds = fixture.at("rounds").as_array();
    const bool is_signed = member(fixture, "signed") != nullptr;
    const std::string digest(fixture.at("name").as_string());
    std::size_t round = is_signed ? 0 : 1;  // whose replies may have come
    if (const auto state = text_member(call.params(), "requestState"); state && is_signed) {
        const auto verified = verify(*state, seal_, clock_.wall());
        if (!verified || verified->digest != digest) {
            call.fail(rpc::kInvalidParams, "this requestState is not one of ours");
            return false;
        }
        round = static_cast<std::size_t>(verified->round);
    }
    const json::Value* replies = member(call.params(), "inputResponses");
    bool has_all = round > 0;
    if (round > 0) {
        for (const auto& [key, wanted] : rounds[round - 1].as_object()) {
            const std::string method(wanted.at("method").as_string());
            const json::Value* reply = replies == nullptr ? nullptr : member(*replies, key);
            if (!can(call.client(), method)) continue;
            if (is_reply_to(method, reply)) {
                add_reply_words(*reply, words);
            } else {
                has_all = false;
            }
        }
    }
    if (has_all && round == rounds.size()) return true;
    const std::size_t next = has_all || round == 0 ? round + 1 : round;
    json::Object wanted;
    for (const auto& [key, input] : rounds[next - 1].as_object())
        if (can(call.client(), input.at("method").as_string())) wanted[key] = input;
    call.complete_as("input_required", [&](json::Writer& out) {
        out.key("inputRequests").value(wanted);
        if (!is_signed) return;
        out.field("requestState", sign({.ask = {},
                                        .round = static_cast<int>(next),
                                        .expires = clock_.wall() + std::chrono::hours(1),
                                        .digest = digest},
                                       seal_));
    });
    return false;
}

bool Fixtures::take_list(Call& call) const {
    const std::string& method = call.method();
    const bool has_prompts = method == "prompts/list";
    const bool has_templates = method == "resources/templates/list";
    if (!has_prompts && !has_templates && method != "resources/list") return false;
    call.complete([&](json::Writer& out) {
        out.key(has_prompts ? "prompts" : has_templates ? "resourceTemplates" : "resources");
        out.begin_array();
        if (has_templates) {
            const json::Value& shape = data_.at("template");
            out.begin_object().key("uriTemplate").value(shape.at("uri"));
            out.key("name").value(shape.at("name")).key("mimeType").value(shape.at("mimeType"));
            out.field("description", "A fixture.").end_object();
        } else {
            for (const json::Value& entry :
                 data_.at(has_prompts ? "prompts" : "resources").as_array()) {
                out.begin_object().key("name").value(entry.at("name"));
                out.field("description", "A fixture.");
                if (!has_prompts) out.key("uri").value(entry.at("uri"));
                if (const json::Value* names = member(entry, "arguments")) {
                    out.key("arguments").begin_array();
                    for (const json::Value& name : names->as_array())
                        out.begin_object()
                            .key("name")
                            .value(name)
                            .field_bool("required", true)
                            .end_object();
                    out.end_array();
                }
                out.end_object();
            }
        }
        out.end_array();
        write_cache(out, call);
    });
    return true;
}

void Fixtures::get_prompt(Call& call) const {
    const json::Value* prompt =
        find_by(data_.at("prompts"), "name", text_member(call.params(), "name").value_or(""));
    if (prompt == nullptr) return call.fail(rpc::kInvalidParams, "there is no such prompt");
    Words words = words_of(arguments_of(call));
    if (member(*prompt, "rounds") != nullptr && !gather(call, *prompt, words)) return;
    call.complete([&](json::Writer& out) {
        out.key("messages").value(filled(prompt->at("messages"), words));
    });
}

void Fixtures::read_resource(Call& call) const {
    const std::string uri(text_member(call.params(), "uri").value_or(""));
    const json::Value& shape = data_.at("template");
    const std::string_view before = shape.at("before").as_string();
    const std::string_view after = shape.at("after").as_string();
    json::Value entry;
    if (const json::Value* found = find_by(data_.at("resources"), "uri", uri)) {
        entry = *found;
    } else if (uri.starts_with(before) && uri.ends_with(after)) {
        const std::size_t length = uri.size() - before.size() - after.size();
        entry = filled(shape, {{"id", uri.substr(before.size(), length)}});
    } else {
        const std::string data =
            json::object_text([&](json::Writer& out) { out.field("uri", uri); });
        return call.fail(rpc::kInvalidParams, "there is no such resource", data);
    }
    call.complete([&](json::Writer& out) {
        out.key("contents").begin_array().begin_object().field("uri", uri);
        for (const char* part : {"mimeType", "text", "blob"})
            if (const json::Value* value = member(entry, part)) out.key(part).value(*value);
        out.end_object().end_array();
        write_cache(out, call);
    });
}

}  // namespace parley::mcp
