// SPDX-License-Identifier: Apache-2.0
// The chat door: /api/v1/chat/ws/{session}, a WebSocket for chat apps. A session that it opens has
// a deadline for its asks, and a question that is cancelled or times out stops the turn, as those
// apps expect. Belongs to the loop's thread; the broker must outlive it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "broker/broker.h"
#include "door/chat/chat_seats.h"
#include "net/router.h"

namespace parley {

class ChatDoor {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
    };

    // `ask_timeout`: of sessions that this door opens; none: their asks wait for ever.
    ChatDoor(Wiring wiring, std::optional<Millis> ask_timeout)
        : wiring_(wiring), ask_timeout_(ask_timeout) {}

    // The routes, and the broker, keep a reference to this.
    void add_routes(net::Router& router);

private:
    struct Request {
        std::string session;  // as in the path
        bool is_observer = false;
        bool sets_timeout = false;
        std::optional<Millis> timeout = {};
        std::optional<Cursor> after = {};
    };

    static net::Co<void> serve(ChatDoor* door, net::Exchange exchange);
    // Nothing if the exchange was answered with a problem.
    std::optional<Request> read_request(net::Exchange& exchange) const;
    // Whoever had the session's seat has it no longer, at any node.
    void take_seat(SessionId session, std::string connection, Done<MarkPtr> done);
    void find_or_open(const Request& request, const Viewer& viewer, Done<SessionPtr> done);

    Wiring wiring_;
    std::optional<Millis> ask_timeout_;
    ChatSeats seats_;
};

}  // namespace parley
