// SPDX-License-Identifier: Apache-2.0
// Health, the document of this door, and the tool that agents are offered.
#include <utility>

#include "door/opencode/document.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"

namespace parley {

namespace {

void tool_ids(OpenCodeDoor& door, net::Exchange exchange) {
    opencode::reply(exchange, 200, door.options().has_question_tool ? R"(["question"])" : "[]");
}

void tools(OpenCodeDoor& door, net::Exchange exchange) {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    if (door.options().has_question_tool) out.raw(opencode::tool_document());
    out.end_array();
    opencode::reply(exchange, 200, std::move(text));
}

}  // namespace

void OpenCodeDoor::add_server_routes(net::Router& router) {
    router.get(
        "/global/health",
        [this](net::Exchange exchange) {
            std::string text;
            json::Writer(text)
                .begin_object()
                .field_bool("healthy", true)
                .field("version", wiring_.version)
                .end_object();
            opencode::reply(exchange, 200, std::move(text));
        },
        route(Needs::token));
    router.get(
        "/api/health",
        [](net::Exchange exchange) { opencode::reply(exchange, 200, R"({"healthy":true})"); },
        route(Needs::token));
    router.get(
        "/doc",
        [](net::Exchange exchange) {
            exchange.respond({.content_type = net::kJson,
                              .body = net::Body::literal(opencode::openapi_document())});
        },
        route(Needs::token));
    const auto with = [this](void (*handler)(OpenCodeDoor&, net::Exchange)) {
        return [this, handler](net::Exchange exchange) { handler(*this, std::move(exchange)); };
    };
    router.get("/experimental/tool/ids", with(tool_ids), route(Needs::token));
    router.get("/experimental/tool", with(tools), route(Needs::token));
}

}  // namespace parley
