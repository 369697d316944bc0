// SPDX-License-Identifier: Apache-2.0
// OpenCode's HTTP interface, for its own clients and SDK: questions, permissions, sessions, events.
// Every ask of every door is seen here, and answered here. Belongs to the loop's thread.
#pragma once

#include <string>

#include "base/clock.h"
#include "broker/broker.h"
#include "door/access.h"
#include "door/opencode/opencode_stream.h"
#include "net/router.h"

namespace parley {

struct OpenCodeOptions {
    // Of the server: where sessions that name no directory are shown.
    std::string directory = "/";
    // As its servers answered before May 2026: a reply to an unknown id is "true".
    bool is_legacy = false;
    // Whether the question tool is listed: OpenCode gives it to some kinds of client only.
    bool has_question_tool = true;
};

class OpenCodeDoor {
public:
    struct Wiring {
        LoopBroker& broker;
        Access& access;
        const Clock& clock;
        std::string version;  // ours, for /global/health
    };

    OpenCodeDoor(Wiring wiring, OpenCodeOptions options);

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

    LoopBroker& broker() { return wiring_.broker; }
    const Clock& clock() const { return wiring_.clock; }
    const OpenCodeOptions& options() const { return options_; }
    opencode::SharedEvents& shared_events() { return shared_; }

    // What the messages and sessions of one session are written against.
    opencode::Scene scene_of(const Session* session) const;

private:
    // One file each.
    void add_question_routes(net::Router& router);      // question_routes.cc
    void add_permission_routes(net::Router& router);    // permission_routes.cc
    void add_event_routes(net::Router& router);         // event_routes.cc
    void add_session_routes(net::Router& router);       // session_routes.cc
    void add_message_routes(net::Router& router);       // message_routes.cc
    void add_server_routes(net::Router& router);        // server_routes.cc: health, document, tools
    void add_surroundings_routes(net::Router& router);  // surroundings_routes.cc

    Wiring wiring_;
    OpenCodeOptions options_;
    opencode::SharedEvents shared_;
};

}  // namespace parley
