// SPDX-License-Identifier: Apache-2.0
#include "door/native/native_replies.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "core/door_names.h"
#include "core/text_rules.h"
#include "core/told_error.h"
#include "door/native/limits.h"
#include "text/json.h"
#include "text/safe_text.h"
#include "text/utf8.h"

namespace parley::native {

namespace {

std::string_view door_of(const net::Exchange& exchange, const Caller& who) {
    if (who.is_browser) return door_names::kPage;
    const std::string_view claimed = exchange.header(door_names::kHeader);
    return door_names::is_front(claimed) ? claimed : door_names::kNative;
}

void refuse(net::Exchange& exchange, Error error, std::string (*document)(const Error&, int)) {
    const int status = http_status(error.code);
    // Who opens an address that signs in is nobody yet.
    const auto* who = exchange.principal<Caller>();
    error = told_to(who == nullptr ? Viewer{} : who->viewer(), std::move(error));
    // A message may repeat what the path or the query said, and they can hold any bytes.
    if (!utf8::is_valid(error.message)) error.message = escape_unsafe(error.message);
    net::Response response{.status = status,
                           .content_type = net::kProblemJson,
                           .body = net::Body(document(error, status))};
    exchange.respond(std::move(response));
}

}  // namespace

Actor actor(const net::Exchange& exchange, std::optional<std::string> by) {
    const Caller& who = caller(exchange);
    return as_actor(who, door_of(exchange, who), std::move(by));
}

std::optional<AskId> path_ask(net::Exchange& exchange) {
    const std::string_view text = exchange.param("id");
    const auto id = AskId::parse(text);
    if (!id) {
        reply_problem(exchange, {ErrorCode::not_found,
                                 fmt::format("{} is not the id of an ask", quoted_excerpt(text))});
    }
    return id;
}

void reply(net::Exchange& exchange, int status, std::string document) {
    exchange.respond(
        {.status = status, .content_type = net::kJson, .body = net::Body(std::move(document))});
}

void reply_problem(net::Exchange& exchange, Error error) {
    refuse(exchange, std::move(error), problem_document);
}

void reply_push_problem(net::Exchange& exchange, Error error) {
    refuse(exchange, std::move(error), push_problem);
}

void reply_done(net::Exchange& exchange, const Result<void>& result) {
    if (result) {
        exchange.respond({.status = 204});
    } else {
        reply_problem(exchange, result.error());
    }
}

std::optional<std::size_t> query_number(net::Exchange& exchange, std::string_view name,
                                        const NumberRange& range) {
    const auto text = exchange.query().find(name);
    if (!text) return range.absent;
    std::size_t number = 0;
    const char* const text_end = text->data() + text->size();
    const auto [end, error] = std::from_chars(text->data(), text_end, number);
    const bool is_number = error == std::errc() && end == text_end;
    if (is_number && number >= range.min && number <= range.max) return number;
    reply_problem(exchange, {ErrorCode::invalid, fmt::format("?{}= must be a whole number from {} "
                                                             "to {}",
                                                             name, range.min, range.max)});
    return std::nullopt;
}

net::Response shape_refusal(const net::Refusal& refusal) {
    std::string document;
    json::Writer out(document);
    const std::string type =
        refusal.type.empty() ? "about:blank" : "urn:parley:problem:" + std::string(refusal.type);
    out.begin_object()
        .field("type", type)
        .field("title", wire::reason_phrase(refusal.status))
        .field_int("status", refusal.status)
        .field("detail", refusal.detail)
        .end_object();
    return {.status = refusal.status,
            .content_type = net::kProblemJson,
            .headers = refusal.headers,
            .body = net::Body(std::move(document))};
}

net::RouteOptions json_route(Needs needs) {
    net::RouteOptions options = route(needs);
    options.content_types = {net::kJson};
    options.untyped_body = net::RouteOptions::Untyped::allowed;
    return options;
}

}  // namespace parley::native
