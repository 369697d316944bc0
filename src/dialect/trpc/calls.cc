// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/calls.h"

#include <fmt/format.h>

#include <utility>

#include "core/limits.h"
#include "core/object_reader.h"
#include "dialect/limits.h"

namespace parley::trpc {

namespace {

using Rejected = tl::unexpected<Failure>;

Rejected refuse(FailureKey key, std::string message) {
    return Rejected(Failure{.key = key, .message = std::move(message)});
}

std::vector<Call> split_paths(const CallText& text) {
    std::vector<Call> calls;
    std::string_view rest = text.paths;
    while (text.is_batch) {
        const std::size_t comma = rest.find(',');
        if (comma == std::string_view::npos) break;
        calls.push_back({.path = std::string(rest.substr(0, comma))});
        rest.remove_prefix(comma + 1);
    }
    calls.push_back({.path = std::string(rest)});
    return calls;
}

void give_inputs(std::vector<Call>& calls, const json::Object& inputs) {
    for (std::size_t i = 0; i < calls.size(); ++i)
        if (const json::Value* input = inputs.if_contains(std::to_string(i)))
            calls[i].input = *input;
}

void fail_all(std::vector<Call>& calls, const Failure& fault) {
    for (Call& call : calls) call.fault = fault;
}

std::optional<SocketRequest::Method> read_method(std::string_view name) {
    using Method = SocketRequest::Method;
    for (const Method method :
         {Method::query, Method::mutation, Method::subscription, Method::stop})
        if (to_string(method) == name) return method;
    return std::nullopt;
}

// The input is moved out of `value`, in the storage where it is.
tl::expected<SocketRequest, Failure> read_request(json::Value& value) {
    Faults faults;
    const json::Path root;
    const ObjectReader object(value, root, faults, "a request: an object with \"id\"");
    const json::Value* id = object.find("id");
    if (id == nullptr || !(id->is_number() || id->is_string()))
        return refuse(FailureKey::parse_error, "a request needs an \"id\": a number or a string");
    std::string id_text = json::serialize(*id);
    // It is held for as long as the call is, and that may wait for a person.
    if (id_text.size() > limits::kNameChars)
        return refuse(FailureKey::parse_error, "the \"id\" of a request is too long");
    const auto method = read_method(object.optional_string("method").value_or(std::string()));
    if (!method)
        return refuse(FailureKey::parse_error,
                      "\"method\" must be query, mutation, subscription or subscription.stop");
    if (method == SocketRequest::Method::stop)
        return SocketRequest{.id = std::move(id_text), .method = *method};
    if (object.find("params") == nullptr)
        return refuse(FailureKey::parse_error, "a request needs \"params\"");
    json::Value& params = value.get_object()["params"];
    const json::Path at = root / "params";
    const ObjectReader inner(params, at, faults);
    std::string path = inner.required_string("path");
    auto last_event_id = inner.optional_string("lastEventId");
    if (!faults.empty())
        return refuse(FailureKey::parse_error,
                      faults.list().front().path + ": " + faults.list().front().detail);
    json::Value* input = params.get_object().if_contains("input");
    return SocketRequest{
        .id = std::move(id_text),
        .method = *method,
        .call = {.path = std::move(path), .input = input ? std::move(*input) : json::Value()},
        .last_event_id = std::move(last_event_id)};
}

tl::expected<ConnectionParams, Failure> read_params_value(const json::Value& value) {
    ConnectionParams params;
    if (value.is_null()) return params;
    const json::Object* members = value.if_object();
    if (members == nullptr)
        return refuse(FailureKey::parse_error, "Invalid connection params shape");
    for (const auto& member : *members) {
        const auto* text = member.value().if_string();
        if (text == nullptr)
            return refuse(FailureKey::parse_error, "Invalid connection params shape");
        const std::string_view name(member.key().data(), member.key().size());
        if (name == "token") {
            params.token = std::string(view_of(*text));
        } else if (name == "authorization" || name == "Authorization") {
            params.authorization = std::string(view_of(*text));
        }
    }
    return params;
}

}  // namespace

std::string_view to_string(SocketRequest::Method method) {
    switch (method) {
        case SocketRequest::Method::query: return "query";
        case SocketRequest::Method::mutation: return "mutation";
        case SocketRequest::Method::subscription: return "subscription";
        case SocketRequest::Method::stop: return "subscription.stop";
    }
    return "";
}

tl::expected<std::vector<Call>, Failure> read_calls(const CallText& text) {
    std::vector<Call> calls = split_paths(text);
    if (calls.size() > limits::kTrpcBatchMax)
        return refuse(FailureKey::payload_too_large,
                      fmt::format("a batch may have at most {} calls", limits::kTrpcBatchMax));
    if (!text.input) return calls;
    auto input = json::parse(*text.input);
    if (!input) {
        fail_all(calls, failure_of(input.error()));
    } else if (!text.is_batch) {
        calls.front().input = std::move(*input);
    } else if (const json::Object* inputs = input->if_object()) {
        give_inputs(calls, *inputs);
    } else {
        fail_all(calls, {.key = FailureKey::bad_request,
                         .message = "\"input\" needs to be an object when doing a batch call"});
    }
    return calls;
}

std::vector<tl::expected<SocketRequest, Failure>> read_socket_message(std::string_view text,
                                                                      json::Arena& arena) {
    std::vector<tl::expected<SocketRequest, Failure>> requests;
    auto document = json::parse_into(text, &arena);
    if (!document) {
        requests.push_back(refuse(FailureKey::parse_error, document.error().message));
        return requests;
    }
    json::Array* list = document->if_array();
    if (list == nullptr) {
        requests.push_back(read_request(*document));
    } else if (list->size() > limits::kTrpcBatchMax) {
        requests.push_back(
            refuse(FailureKey::payload_too_large,
                   fmt::format("a message may have at most {} requests", limits::kTrpcBatchMax)));
    } else {
        for (json::Value& each : *list) requests.push_back(read_request(each));
    }
    return requests;
}

tl::expected<ConnectionParams, Failure> read_params(std::string_view text) {
    const auto value = json::parse(text);
    if (!value) return refuse(FailureKey::parse_error, "Not JSON-parsable query params");
    return read_params_value(*value);
}

tl::expected<ConnectionParams, Failure> read_params_message(std::string_view text) {
    const auto document = json::parse(text);
    const json::Object* message = document ? document->if_object() : nullptr;
    const json::Value* method = message ? message->if_contains("method") : nullptr;
    if (method == nullptr || *method != "connectionParams")
        return refuse(FailureKey::parse_error,
                      "the first message must be connectionParams: the address says so");
    const json::Value* data = message->if_contains("data");
    return read_params_value(data == nullptr ? json::Value(nullptr) : *data);
}

}  // namespace parley::trpc
