// SPDX-License-Identifier: Apache-2.0
// GET /v1/events: Server-Sent Events with resume, by Last-Event-ID or ?after=.
#include <utility>

#include "door/native/event_stream.h"
#include "door/native/native_door.h"
#include "door/native/replies.h"

namespace parley {

namespace {

// The header wins: it is what a browser sends when it comes back by itself.
std::optional<Cursor> resume_point(const net::Exchange& exchange) {
    std::string_view text = exchange.header("last-event-id");
    if (text.empty()) text = exchange.query().get("after");
    if (text.empty()) return std::nullopt;
    // What is no cursor of ours is older than everything: it gets a reset.
    return native::parse_cursor(text).value_or(Cursor{});
}

void start_events(LoopBroker& broker, EncodedEvents& shared, net::Exchange exchange,
                  std::optional<SessionId> session) {
    const Caller caller = native::caller(exchange);
    SubscribeRequest request{.after = resume_point(exchange),
                             .session = session,
                             .principal = caller.principal,
                             .is_agent = exchange.query().get("as") == "agent"};
    std::string shown(exchange.query().get("session"));
    auto stream = std::make_shared<EventStream>(exchange.start_stream(net::sse_options()), caller,
                                                std::move(shown), shared);
    // Too many subscribers: the stream is dropped, which breaks it off, and the client tries later.
    if (!stream->start(broker, std::move(request))) return;
}

}  // namespace

void NativeDoor::add_event_routes(net::Router& router) {
    router.get(
        "/v1/events",
        [this](net::Exchange exchange) {
            const auto ref = exchange.query().find("session");
            if (!ref) {
                start_events(wiring_.broker, encoded_, std::move(exchange), std::nullopt);
                return;
            }
            const std::string session(*ref);
            wiring_.broker.find_or_open_session(
                session, [this, exchange = std::move(exchange)](Result<SessionPtr> found) mutable {
                    if (!found) return native::reply_problem(exchange, found.error());
                    start_events(wiring_.broker, encoded_, std::move(exchange), (*found)->id);
                });
        },
        route(Needs::token));
}

}  // namespace parley
