// SPDX-License-Identifier: Apache-2.0
// What the handlers of OpenCode's door share: the directory that a request is about, bodies, and
// answers and refusals in its two shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/broker.h"
#include "core/settle.h"
#include "door/access.h"
#include "net/exchange.h"
#include "net/router.h"
#include "text/json.h"

namespace parley::opencode {

// The interface that its clients use, and the newer one below /api, whose errors look otherwise.
enum class Generation : std::uint8_t { v1, v2 };
// What a bad request was wrong about.
enum class Wrong : std::uint8_t { payload, params, query };

Actor actor(const net::Exchange& exchange);

// ?directory=, ?location[directory]= or x-opencode-directory, without a slash at its end; nullopt
// when none is named, which means all.
std::optional<std::string> directory_of(const net::Exchange& exchange);
// A session that works nowhere in particular is seen from everywhere.
bool is_seen_from(const std::optional<std::string>& directory, const Session* session);
// The live session; null when it has ended.
const Session* find_live(const LoopBroker& broker, SessionId id, const Viewer& viewer);

// The body as JSON; nothing when there is none.
[[nodiscard]] Result<std::optional<json::Value>> read_body(const net::Exchange& exchange);

void reply(net::Exchange& exchange, int status, std::string document);
void reply_true(net::Exchange& exchange);
// Done: true, or 204 in the newer interface.
void reply_done(net::Exchange& exchange, Generation generation);
void reply_wrong(net::Exchange& exchange, Generation generation, Wrong what,
                 std::string_view message);
// Every other failure.
void reply_error(net::Exchange& exchange, Generation generation, const Error& error);
// {"_tag": "…NotFoundError", id_key: id, "message": …}; who comes too late is also told what
// stands.
struct Missing {
    std::string_view tag;     // "QuestionNotFoundError"
    std::string_view id_key;  // "requestID"
    std::string_view what;    // "Question request"
};
void reply_missing(net::Exchange& exchange, const Missing& missing, std::string_view id,
                   const Ask* settled = nullptr);
inline constexpr Missing kNoQuestion = {"QuestionNotFoundError", "requestID", "Question request"};
inline constexpr Missing kNoPermission = {"PermissionNotFoundError", "requestID",
                                          "Permission request"};
void reply_no_session(net::Exchange& exchange, Generation generation, std::string_view ref);
void reply_no_message(net::Exchange& exchange, std::string_view id);

net::Response shape_refusal(const net::Refusal& refusal, const wire::Request* request,
                            Generation generation);

// ?limit=, `max` without one; nothing if it was answered with 400.
std::optional<std::size_t> query_limit(net::Exchange& exchange, std::size_t max);

// Routes with a JSON body.
net::RouteOptions json_route(Needs needs);

// Whether the request names a workspace, of which there are none here; it is answered then.
bool is_refused_workspace(net::Exchange& exchange);

}  // namespace parley::opencode
