// SPDX-License-Identifier: Apache-2.0
// What the handlers of the native door share: reading who calls and which ask is meant, answering
// with a document or a problem.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/settle.h"
#include "dialect/native.h"
#include "dialect/problem.h"
#include "door/access.h"
#include "net/exchange.h"
#include "net/router.h"
#include "parley/requests.h"

namespace parley::native {

const Caller& caller(const net::Exchange& exchange);
Actor actor(const net::Exchange& exchange, std::optional<std::string> by = std::nullopt);

// The ask named in the path; nothing if it was answered with 404 already.
std::optional<AskId> path_ask(net::Exchange& exchange);

void reply(net::Exchange& exchange, int status, std::string document);
void reply_problem(net::Exchange& exchange, const Error& error);
// 204 or a problem.
void reply_done(net::Exchange& exchange, const Result<void>& result);

// Whether this caller may see the ask: agents see their own.
bool may_see(const Caller& caller, const Ask& ask);

// `?name=` as a whole number from 0 to `max`; `absent` without it; a problem was sent if nullopt.
std::optional<std::size_t> query_number(net::Exchange& exchange, std::string_view name,
                                        std::size_t absent, std::size_t max);

// Every refusal of the server as a problem document.
net::Response shape_refusal(const net::Refusal& refusal);

// Routes with a JSON body.
net::RouteOptions json_route(Needs needs);

// A session as the client called it: empty when it used our id or nothing.
std::string_view shown_name(std::string_view ref);

}  // namespace parley::native
