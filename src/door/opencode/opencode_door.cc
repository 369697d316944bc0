// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/opencode_door.h"

#include <utility>

#include "base/assert.h"
#include "door/opencode/opencode_replies.h"
#include "text/utf8.h"
#include "wire/header_text.h"

namespace parley {

namespace {

// Basic without a header: `?auth_token=` with what would stand there.
std::optional<std::string> find_secret(const wire::Query& query) {
    const auto basic = query.find("auth_token");
    if (!basic) return std::nullopt;
    auto credentials = wire::basic_credentials("Basic " + std::string(*basic));
    return credentials ? std::move(credentials->password) : std::string();
}

}  // namespace

OpenCodeDoor::OpenCodeDoor(Wiring wiring, OpenCodeOptions options)
    : wiring_(std::move(wiring)),
      options_(std::move(options)),
      shared_(wiring_.broker, options_.directory) {
    ASSERT(utf8::is_valid(options_.directory));
}

opencode::Scene OpenCodeDoor::scene_of(const Session* session) const {
    return {.directory = options_.directory, .session = session};
}

void OpenCodeDoor::add_routes(net::Router& router) {
    wiring_.access.add_query_form({.find_secret = find_secret});
    for (const std::string_view prefix :
         {"/question", "/permission", "/event", "/global", "/session", "/doc", "/experimental",
          "/provider", "/project", "/config", "/agent", "/command", "/path"}) {
        router.set_shape(prefix, [](const net::Refusal& refusal, const wire::Request* request) {
            return opencode::shape_refusal(refusal, request, opencode::Generation::v1);
        });
    }
    for (const std::string_view prefix :
         {"/api/question", "/api/session", "/api/event", "/api/health"}) {
        router.set_shape(prefix, [](const net::Refusal& refusal, const wire::Request* request) {
            return opencode::shape_refusal(refusal, request, opencode::Generation::v2);
        });
    }
    add_question_routes(router);
    add_permission_routes(router);
    add_event_routes(router);
    add_session_routes(router);
    add_message_routes(router);
    add_server_routes(router);
    add_surroundings_routes(router);
}

}  // namespace parley
