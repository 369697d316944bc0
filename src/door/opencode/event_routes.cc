// SPDX-License-Identifier: Apache-2.0
// GET /event, /global/event, /api/event: Server-Sent Events that resume by Last-Event-ID.
#include <memory>
#include <utility>

#include "dialect/native/server.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"

namespace parley {

namespace {

using opencode::Envelope;

std::optional<Cursor> resume_point(const net::Exchange& exchange) {
    const std::string_view text = exchange.header("last-event-id");
    if (text.empty()) return std::nullopt;
    // What is no cursor of ours is older than everything: it gets the pending asks.
    return native::parse_cursor(text).value_or(Cursor{});
}

void start(OpenCodeDoor& door, net::Exchange exchange, Envelope envelope) {
    if (opencode::is_refused_workspace(exchange)) return;
    opencode::OpenCodeStream::View view{.envelope = envelope};
    // The global stream is of all directories, whatever is asked.
    if (envelope != Envelope::global) view.directory = opencode::directory_of(exchange);
    const Caller& who = caller(exchange);
    auto stream = std::make_shared<opencode::OpenCodeStream>(
        opencode::OpenCodeStream::Wiring{door.broker(), door.clock(), door.shared_events()}, who,
        std::move(view));
    const auto subscribed = stream->subscribe({.after = resume_point(exchange)});
    if (!subscribed)
        return opencode::reply_error(exchange, opencode::Generation::v1, subscribed.error());
    stream->serve(exchange.start_stream(stream->options()));
}

}  // namespace

void OpenCodeDoor::add_event_routes(net::Router& router) {
    const auto add = [&](std::string_view path, Envelope envelope) {
        router.get(
            path,
            [this, envelope](net::Exchange exchange) {
                start(*this, std::move(exchange), envelope);
            },
            route(Needs::token));
    };
    add("/event", Envelope::event);
    add("/global/event", Envelope::global);
    add("/api/event", Envelope::api);
}

}  // namespace parley
