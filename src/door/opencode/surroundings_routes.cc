// SPDX-License-Identifier: Apache-2.0
// What OpenCode's terminal reads before it shows a session: providers, agents, paths. There is one
// of each here, called Parley, because whoever runs a session's turns has models of its own.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"

namespace parley {

namespace {

constexpr std::string_view kProvider =
    R"({"id":"parley","name":"Parley","source":"custom","env":[],"options":{},"models":{"parley":)"
    R"({"id":"parley","providerID":"parley","name":"Parley","api":{"id":"parley","url":"",)"
    R"("npm":""},"capabilities":{"temperature":false,"reasoning":false,"attachment":false,)"
    R"("toolcall":true,"input":{"text":true,"audio":false,"image":false,"video":false,)"
    R"("pdf":false},"output":{"text":true,"audio":false,"image":false,"video":false,)"
    R"("pdf":false},"interleaved":false},"cost":{"input":0,"output":0,"cache":{"read":0,)"
    R"("write":0}},"limit":{"context":0,"output":0},"status":"active","options":{},)"
    R"("headers":{},"release_date":""}}})";

struct Fixed {
    std::string_view path;
    std::string_view document;
};

constexpr Fixed kFixed[] = {
    {"/agent",
     R"([{"name":"parley","mode":"primary","native":true,"permission":[],"options":{}}])"},
    {"/command", "[]"},
    {"/config", "{}"},
    {"/experimental/capabilities", "{}"},
    {"/experimental/console", "{}"},
    {"/experimental/resource", "{}"},
    {"/experimental/workspace", "[]"},
    {"/experimental/workspace/status", "[]"},
    {"/formatter", "[]"},
    {"/lsp", "[]"},
    {"/project/current",
     R"({"id":"global","worktree":"/","time":{"created":0,"updated":0},"sandboxes":[]})"},
    {"/provider/auth", "{}"},
    {"/session/{sessionID}/diff", "[]"},
    {"/session/{sessionID}/todo", "[]"},
    {"/vcs", R"({"branch":""})"},
};

void paths(OpenCodeDoor& door, net::Exchange exchange) {
    const std::string directory =
        opencode::directory_of(exchange).value_or(door.options().directory);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    for (const std::string_view name : {"home", "state", "config", "worktree", "directory"})
        out.field(name, directory);
    out.end_object();
    opencode::reply(exchange, 200, std::move(text));
}

}  // namespace

void OpenCodeDoor::add_surroundings_routes(net::Router& router) {
    for (const Fixed& fixed : kFixed) {
        router.get(
            fixed.path,
            [document = fixed.document](net::Exchange exchange) {
                exchange.respond(
                    {.content_type = net::kJson, .body = net::Body::literal(document)});
            },
            route(Needs::responder));
    }
    const auto providers = [&](std::string_view path, std::string document) {
        router.get(
            path,
            [document =
                 std::make_shared<const std::string>(std::move(document))](net::Exchange exchange) {
                exchange.respond({.content_type = net::kJson, .body = net::Body(document)});
            },
            route(Needs::responder));
    };
    providers("/provider", fmt::format(R"({{"all":[{}],"default":{{"parley":"parley"}},)"
                                       R"("connected":["parley"]}})",
                                       kProvider));
    providers("/config/providers",
              fmt::format(R"({{"providers":[{}],"default":{{"parley":"parley"}}}})", kProvider));
    router.get(
        "/path", [this](net::Exchange exchange) { paths(*this, std::move(exchange)); },
        route(Needs::responder));
}

}  // namespace parley
