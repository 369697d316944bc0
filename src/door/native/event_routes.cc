// SPDX-License-Identifier: Apache-2.0
// GET /v1/events: Server-Sent Events with resume, by Last-Event-ID or ?after=.
#include <utility>

#include "door/native/native_door.h"
#include "door/native/native_replies.h"
#include "door/native/native_stream.h"

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

void start_events(NativeStream::Wiring wiring, net::Exchange exchange,
                  std::optional<SessionId> session) {
    const Caller caller = native::caller(exchange);
    const bool is_agent = exchange.query().get("as") == "agent";
    if (is_agent && !is_enough(caller.role, Needs::asker)) {
        return native::reply_problem(
            exchange, {ErrorCode::denied, "?as=agent is for agents; your token is a responder's"});
    }
    auto stream = std::make_shared<NativeStream>(wiring, caller);
    const auto subscribed = stream->subscribe(
        {.after = resume_point(exchange), .session = session, .is_agent = is_agent});
    if (!subscribed) return native::reply_problem(exchange, subscribed.error());
    stream->serve(exchange.start_stream(NativeStream::options()));
}

}  // namespace

void NativeDoor::add_event_routes(net::Router& router) {
    const NativeStream::Wiring wiring{wiring_.broker, wiring_.clock, encoded_, *texts_, *names_};
    router.get(
        "/v1/events",
        [wiring](net::Exchange exchange) {
            const auto ref = exchange.query().find("session");
            if (!ref) return start_events(wiring, std::move(exchange), std::nullopt);
            const std::string session(*ref);
            const Viewer who = native::viewer(exchange);
            wiring.broker.enter_session(
                session, who,
                [wiring, exchange = std::move(exchange)](Result<SessionPtr> found) mutable {
                    if (!found) return native::reply_problem(exchange, found.error());
                    start_events(wiring, std::move(exchange), (*found)->id);
                });
        },
        route(Needs::token));
}

}  // namespace parley
