// SPDX-License-Identifier: Apache-2.0
// GET /permission, POST /permission/{id}/reply, and the older POST
// /session/{sid}/permissions/{id}.
#include <fmt/format.h>

#include <utility>

#include "core/permission.h"
#include "dialect/opencode/permission.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"
#include "door/opencode/pending_list.h"
#include "door/opencode/settling.h"

namespace parley {

namespace {

using opencode::Generation;

std::optional<std::string> write_permission(const Ask& ask) {
    if (!permission::has_usual_options(ask)) return std::nullopt;
    std::string text;
    json::Writer out(text);
    opencode::write_permission(out, ask);
    return text;
}

net::Co<void> list_permissions(OpenCodeDoor* door, net::Exchange exchange) {
    if (opencode::is_refused_workspace(exchange)) co_return;
    co_await opencode::list_pending(door, std::move(exchange), {.write = write_permission});
}

// `param` holds the id, `key` the decision in the body; the older route has others of both.
void settle(OpenCodeDoor& door, net::Exchange exchange, std::string_view param,
            std::string_view key) {
    const std::string_view id = exchange.param(param);
    if (!id.starts_with("per")) {
        return opencode::reply_wrong(
            exchange, Generation::v1, opencode::Wrong::params,
            fmt::format("Expected a string starting with \"per\", got \"{}\"\n  at [\"{}\"]", id,
                        param));
    }
    const auto body = opencode::read_body(exchange);
    if (!body)
        return opencode::reply_wrong(exchange, Generation::v1, opencode::Wrong::payload,
                                     body.error().message);
    auto reply = opencode::read_permission_reply(*body, key);
    if (!reply) return opencode::reply_error(exchange, Generation::v1, reply.error());
    opencode::Target target{door, std::move(exchange), Generation::v1, opencode::kNoPermission};
    opencode::with_pending(
        std::move(target),
        [reply = std::move(*reply)](opencode::Target found, const AskPtr& ask) mutable {
            if (!permission::has_usual_options(*ask))
                return opencode::tell_missing(std::move(found));
            opencode::answer(std::move(found), ask, std::move(reply.answers),
                             reply.stops ? opencode::Then::stop : opencode::Then::go_on);
        });
}

}  // namespace

void OpenCodeDoor::add_permission_routes(net::Router& router) {
    router.get(
        "/permission",
        [this](net::Exchange exchange) { return list_permissions(this, std::move(exchange)); },
        route(Needs::token));
    router.post(
        "/permission/{requestID}/reply",
        [this](net::Exchange exchange) {
            settle(*this, std::move(exchange), "requestID", "reply");
        },
        opencode::json_route(Needs::responder));
    router.post(
        "/session/{sessionID}/permissions/{permissionID}",
        [this](net::Exchange exchange) {
            settle(*this, std::move(exchange), "permissionID", "response");
        },
        opencode::json_route(Needs::responder));
}

}  // namespace parley
