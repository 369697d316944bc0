// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/trpc_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "door/trpc/http_request.h"
#include "door/trpc/socket.h"
#include "door/trpc/sse_stream.h"
#include "wire/header_text.h"

namespace parley {

namespace {

using trpc::Call;
using trpc::Failure;
using trpc::FailureKey;
using trpc::HttpRequest;
using trpc::Procedure;

constexpr std::string_view kJsonLines = "application/jsonl";

bool is_post(const net::Exchange& exchange) {
    return exchange.request().method == wire::Method::post;
}

bool wants_lines(const net::Exchange& exchange) {
    return exchange.header("trpc-accept") == kJsonLines || exchange.header("accept") == kJsonLines;
}

bool wants_events(const wire::Request& request) {
    return request.fields.get("accept").find(net::kEventStream) != std::string_view::npos;
}

// What the server or the gate refuses, in the shape that clients of this door read.
net::Response shape_refusal(const net::Refusal& refusal, const wire::Request* request) {
    const Failure failure = trpc::failure_of_status(refusal.status, refusal.detail);
    net::Response response{.status = refusal.status, .headers = refusal.headers};
    if (request != nullptr && wants_events(*request)) {
        // Those who subscribe read the stream, and no status but that there is one.
        response.status = 200;
        response.content_type = net::kEventStream;
        response.body = net::Body(trpc::refused_stream(failure, {}));
    } else {
        response.content_type = net::kJson;
        response.body = net::Body(trpc::call_document(tl::unexpected(failure), {}));
    }
    return response;
}

// What an EventSource can send: `?connectionParams=` with a token inside.
std::optional<std::string> find_secret(const wire::Query& query) {
    const auto params = trpc::read_params(query.get("connectionParams"));
    if (!params) return std::nullopt;
    if (params->token) return params->token;
    const auto bearer = wire::bearer_token(params->authorization.value_or(std::string()));
    if (!bearer) return std::nullopt;
    return std::string(*bearer);
}

bool promises_secret(const wire::Query& query) {
    return query.get("connectionParams") == "1";
}

std::optional<Failure> find_body_fault(const net::Exchange& exchange) {
    if (!is_post(exchange)) return std::nullopt;
    const std::string_view type = exchange.header("content-type");
    if (wire::is_media_type(type, net::kJson)) return std::nullopt;
    return Failure{.key = FailureKey::unsupported_media_type,
                   .message = type.empty() ? std::string("Missing content-type header")
                                           : fmt::format("Unsupported content-type \"{}", type)};
}

std::optional<Failure> find_fault(const net::Exchange& exchange, bool is_batch) {
    if (auto fault = find_body_fault(exchange)) return fault;
    if (wants_lines(exchange) && !is_batch)
        return Failure{.key = FailureKey::bad_request,
                       .message = "Streaming requests must be batched (you can do a batch of 1)"};
    if (const auto params = exchange.query().find("connectionParams"))
        if (auto read = trpc::read_params(*params); !read) return std::move(read).error();
    return std::nullopt;
}

// A batch is of one kind, and none of it subscribes. Unknown procedures have no kind.
std::optional<Failure> find_mixture(const std::vector<Call>& calls) {
    std::vector<trpc::ProcedureKind> kinds;
    for (const Call& call : calls) {
        const Procedure* procedure = trpc::find_procedure(call.path);
        if (procedure == nullptr) continue;
        if (procedure->is_subscription())
            return Failure{.key = FailureKey::bad_request,
                           .message = "Cannot batch subscription calls"};
        if (std::ranges::find(kinds, procedure->kind) == kinds.end())
            kinds.push_back(procedure->kind);
    }
    if (kinds.size() < 2) return std::nullopt;
    return Failure{.key = FailureKey::bad_request,
                   .message = fmt::format("Cannot mix procedure types in call: {}, {}",
                                          to_string(kinds[0]), to_string(kinds[1]))};
}

std::optional<std::string_view> input_text(const net::Exchange& exchange) {
    if (!is_post(exchange)) return exchange.query().find("input");
    if (exchange.body().empty()) return std::nullopt;
    return exchange.body();
}

}  // namespace

void TrpcDoor::add_routes(net::Router& router) {
    wiring_.access.add_query_form({find_secret, promises_secret});
    router.set_shape("/trpc", [](const net::Refusal& refusal, const wire::Request* request) {
        return shape_refusal(refusal, request);
    });
    const auto serve = [this](net::Exchange exchange) { serve_call(std::move(exchange)); };
    router.get("/trpc/{path*}", serve, route(Needs::token));
    router.post("/trpc/{path*}", serve, route(Needs::token));
    const trpc::Socket::Wiring wiring{wiring_.broker, wiring_.access, wiring_.clock, procedures_,
                                      alarms_};
    router.get(
        "/trpc",
        [wiring](net::Exchange exchange) {
            return trpc::Socket::serve(wiring, std::move(exchange));
        },
        route(Needs::late_token));
}

void TrpcDoor::serve_call(net::Exchange exchange) {
    if (exchange.request().method == wire::Method::head) return exchange.respond({.status = 204});
    const bool is_batch = exchange.query().get("batch") == "1";
    if (const auto fault = find_fault(exchange, is_batch))
        return trpc::reply_failure(exchange, *fault);
    auto calls = trpc::read_calls(
        {.paths = exchange.param("path"), .is_batch = is_batch, .input = input_text(exchange)});
    if (!calls) return trpc::reply_failure(exchange, calls.error());
    const Procedure* first = trpc::find_procedure(calls->front().path);
    if (!is_batch && first != nullptr && first->is_subscription()) {
        if (!is_post(exchange))
            return trpc::SseStream::serve({wiring_.broker, wiring_.clock}, std::move(exchange),
                                          *first, calls->front());
        return trpc::reply_refused_stream(
            exchange,
            {.key = FailureKey::method_not_supported,
             .message = fmt::format("Unsupported POST-request to subscription procedure at path "
                                    "\"{}\"",
                                    first->path)},
            first->path);
    }
    if (const auto mixture = find_mixture(*calls)) return trpc::reply_failure(exchange, *mixture);
    const auto form = wants_lines(exchange) ? HttpRequest::Form::lines
                      : is_batch            ? HttpRequest::Form::batch
                                            : HttpRequest::Form::single;
    HttpRequest::serve({procedures_, alarms_, open_}, std::move(exchange), form, std::move(*calls));
}

}  // namespace parley
