// SPDX-License-Identifier: Apache-2.0
// What the handlers of the native door share: reading who calls and which ask is meant, answering
// with a document or a problem.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/limits.h"
#include "core/settle.h"
#include "dialect/native/problem.h"
#include "dialect/native/server.h"
#include "door/access.h"
#include "net/exchange.h"
#include "net/router.h"
#include "parley/requests.h"

namespace parley::native {

using parley::caller;
using parley::viewer;
Actor actor(const net::Exchange& exchange, std::optional<std::string> by = std::nullopt);

// The ask named in the path; nothing if it was answered with 404 already.
std::optional<AskId> path_ask(net::Exchange& exchange);

void reply(net::Exchange& exchange, int status, std::string document);
void reply_problem(net::Exchange& exchange, Error error);
// Of a push: the problem says how many of its items stay.
void reply_push_problem(net::Exchange& exchange, Error error);
// 204 or a problem.
void reply_done(net::Exchange& exchange, const Result<void>& result);

// `?name=` as a whole number; `absent` without it; nothing if it was answered with a problem.
struct NumberRange {
    std::size_t absent = 0;
    std::size_t min = 0;
    std::size_t max = 0;
};
std::optional<std::size_t> query_number(net::Exchange& exchange, std::string_view name,
                                        const NumberRange& range);
// `?name=` as one of these words; nothing if it was answered with a problem.
template <class T>
struct Choice {
    std::string_view word;
    T value;
};
template <class T>
std::optional<T> query_choice(net::Exchange& exchange, std::string_view name, T absent,
                              std::initializer_list<Choice<T>> choices) {
    const auto text = exchange.query().find(name);
    if (!text) return absent;
    std::string words;
    for (const Choice<T>& choice : choices) {
        if (choice.word == *text) return choice.value;
        words += words.empty() ? "" : " or ";
        words += choice.word;
    }
    reply_problem(exchange, {ErrorCode::invalid, "?" + std::string(name) + "= must be " + words});
    return std::nullopt;
}
// `?after=` as an id; nothing if it was answered with a problem.
template <class IdType>
std::optional<std::optional<IdType>> query_after(net::Exchange& exchange) {
    const auto text = exchange.query().find("after");
    if (!text) return std::optional<IdType>();
    if (const auto id = IdType::parse(*text)) return id;
    reply_problem(exchange, {ErrorCode::invalid, "?after= must be the `next` of the page before"});
    return std::nullopt;
}
// Of `?limit=`.
inline constexpr NumberRange kPageRange = {
    .absent = limits::kListPageDefault, .min = 1, .max = limits::kListPageMax};

// Every refusal of the server as a problem document.
net::Response shape_refusal(const net::Refusal& refusal);

// Routes with a JSON body.
net::RouteOptions json_route(Needs needs);

}  // namespace parley::native
