// SPDX-License-Identifier: Apache-2.0
// What the handlers of the native door share: reading who calls and which ask is meant, answering
// with a document or a problem.
#pragma once

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
// Of `?limit=`.
inline constexpr NumberRange kPageRange = {
    .absent = limits::kListPageDefault, .min = 1, .max = limits::kListPageMax};

// Every refusal of the server as a problem document.
net::Response shape_refusal(const net::Refusal& refusal);

// Routes with a JSON body.
net::RouteOptions json_route(Needs needs);

}  // namespace parley::native
