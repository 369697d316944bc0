// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/opencode_replies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/door_names.h"
#include "core/told_error.h"
#include "core/value_json.h"
#include "dialect/native/problem.h"
#include "dialect/opencode/questions.h"
#include "text/safe_text.h"
#include "text/utf8.h"
#include "wire/url.h"

namespace parley::opencode {

namespace {

constexpr std::string_view kLocation = "location[directory]";

std::string_view word(Wrong what) {
    switch (what) {
        case Wrong::payload: return "Payload";
        case Wrong::params: return "Params";
        case Wrong::query: return "Query";
    }
    return "Payload";
}

// What a path, a query or a parser's message holds can be any bytes.
std::string printable(std::string_view text) {
    return utf8::is_valid(text) ? std::string(text) : escape_unsafe(text);
}

// {"name", "data": {"message", "kind"?}}, or {"_tag", "message", "kind"?}.
std::string error_document(Generation generation, std::string_view name, std::string_view message,
                           std::string_view kind = {}) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (generation == Generation::v1) {
        out.field("name", name).key("data").begin_object();
    } else {
        out.field("_tag", name);
    }
    out.field("message", printable(message));
    if (!kind.empty()) out.field("kind", kind);
    if (generation == Generation::v1) out.end_object();
    out.end_object();
    return text;
}

std::string_view name_of(int status, Generation generation) {
    switch (status) {
        case 401: return "UnauthorizedError";
        case 403: return "ForbiddenError";
        case 404: return "NotFoundError";
        case 405: return "MethodNotAllowedError";
        case 409: return "ConflictError";
        case 413: return "PayloadTooLargeError";
        case 429: return "TooManyRequestsError";
        case 503: return "ServiceUnavailableError";
        default: break;
    }
    if (status >= 500) return "UnknownError";
    return generation == Generation::v1 ? "BadRequest" : "InvalidRequestError";
}

}  // namespace

Actor actor(const net::Exchange& exchange) {
    return as_actor(caller(exchange), door_names::kOpenCode);
}

std::optional<std::string> directory_of(const net::Exchange& exchange) {
    std::string directory(exchange.query().get("directory"));
    if (directory.empty()) directory = exchange.query().get(kLocation);
    if (directory.empty())
        directory =
            wire::percent_decode(exchange.header("x-opencode-directory")).value_or(std::string());
    // What is no text is no session's directory; it is still named in answers.
    if (!utf8::is_valid(directory)) directory = escape_unsafe(directory);
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    if (directory.empty()) return std::nullopt;
    return directory;
}

bool is_seen_from(const std::optional<std::string>& directory, const Session* session) {
    if (!directory || session == nullptr || !session->directory) return true;
    return *directory == *session->directory;
}

const Session* find_live(const LoopBroker& broker, SessionId id, const Viewer& viewer) {
    const auto* entry = broker.find_live(id, viewer);
    return entry == nullptr ? nullptr : entry->session.get();
}

Result<std::optional<json::Value>> read_body(const net::Exchange& exchange) {
    if (exchange.body().empty()) return std::nullopt;
    TRY(value, json::parse(exchange.body()));
    return std::optional(std::move(value));
}

void reply(net::Exchange& exchange, int status, std::string document) {
    exchange.respond(
        {.status = status, .content_type = net::kJson, .body = net::Body(std::move(document))});
}

void reply_true(net::Exchange& exchange) {
    exchange.respond({.content_type = net::kJson, .body = net::Body::literal("true")});
}

void reply_done(net::Exchange& exchange, Generation generation) {
    if (generation == Generation::v1) return reply_true(exchange);
    exchange.respond({.status = 204});
}

void reply_wrong(net::Exchange& exchange, Generation generation, Wrong what,
                 std::string_view message) {
    reply(exchange, 400,
          error_document(generation, name_of(400, generation), cut_message(printable(message)),
                         word(what)));
}

void reply_error(net::Exchange& exchange, Generation generation, const Error& error) {
    if (error.code == ErrorCode::invalid)
        return reply_wrong(exchange, generation, Wrong::payload, error.message);
    const int status = native::http_status(error.code);
    const Error told = told_to(viewer(exchange), error);
    reply(exchange, status, error_document(generation, name_of(status, generation), told.message));
}

void reply_missing(net::Exchange& exchange, const Missing& missing, std::string_view id,
                   const Ask* settled) {
    const std::string shown = printable(id);
    std::string text;
    json::Writer out(text);
    out.begin_object().field("_tag", missing.tag).field(missing.id_key, shown);
    out.field("message", fmt::format("{} not found: {}", missing.what, shown));
    if (settled != nullptr && settled->settlement)
        write_settlement(out.key("settlement"), *settled->settlement);
    out.end_object();
    reply(exchange, 404, std::move(text));
}

void reply_no_session(net::Exchange& exchange, Generation generation, std::string_view ref) {
    if (generation == Generation::v2)
        return reply_missing(exchange, {"SessionNotFoundError", "sessionID", "Session"}, ref);
    reply(exchange, 404,
          error_document(generation, "NotFoundError", fmt::format("Session not found: {}", ref)));
}

void reply_no_message(net::Exchange& exchange, std::string_view id) {
    reply(
        exchange, 404,
        error_document(Generation::v1, "NotFoundError", fmt::format("Message not found: {}", id)));
}

net::Response shape_refusal(const net::Refusal& refusal, const wire::Request* request,
                            Generation generation) {
    if (refusal.status == 415) {
        const std::string_view type =
            request == nullptr ? std::string_view() : request->fields.get("content-type");
        return {.status = 415,
                .content_type = net::kPlainText,
                .headers = refusal.headers,
                .body = net::Body("Unsupported content-type: " + printable(type))};
    }
    if (refusal.status == 401) {
        // Their clients sign in with HTTP's own scheme; browsers ask for it.
        net::Response response{.status = 401};
        response.headers.add("WWW-Authenticate", "Basic realm=\"Secure Area\"");
        if (generation == Generation::v1) return response;
        response.content_type = net::kJson;
        response.body = net::Body::literal(
            R"({"_tag":"UnauthorizedError","message":"Authentication required"})");
        return response;
    }
    return {.status = refusal.status,
            .content_type = net::kJson,
            .headers = refusal.headers,
            .body = net::Body(
                error_document(generation, name_of(refusal.status, generation), refusal.detail))};
}

std::optional<std::size_t> query_limit(net::Exchange& exchange, std::size_t max) {
    const auto text = exchange.query().find("limit");
    if (!text) return max;
    std::size_t limit = 0;
    const char* const end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, limit);
    if (error == std::errc() && at == end) return std::min(limit, max);
    reply_wrong(exchange, Generation::v1, Wrong::query,
                "Expected a whole number\n  at [\"limit\"]");
    return std::nullopt;
}

net::RouteOptions json_route(Needs needs) {
    net::RouteOptions options = route(needs);
    options.content_types = {net::kJson};
    options.untyped_body = net::RouteOptions::Untyped::allowed;
    return options;
}

bool is_refused_workspace(net::Exchange& exchange) {
    const std::string_view workspace = exchange.query().get("workspace");
    if (workspace.empty()) return false;
    reply(exchange, 404,
          error_document(Generation::v1, "NotFoundError",
                         fmt::format("Workspace not found: {}", workspace)));
    return true;
}

}  // namespace parley::opencode
