// SPDX-License-Identifier: Apache-2.0
// /session: create, list, status, one, rename it, its children, abort, delete.
#include <limits>
#include <utility>

#include "dialect/opencode/requests.h"
#include "door/known_session.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"
#include "door/opencode/settling.h"
#include "door/sliced_reply.h"

namespace parley {

namespace {

using opencode::Generation;

void reply_session(OpenCodeDoor& door, net::Exchange& exchange, const Session& session) {
    std::string text;
    json::Writer out(text);
    opencode::write_session(out, session, door.scene_of(&session));
    opencode::reply(exchange, 200, std::move(text));
}

// A rejected question stops its session, also one that is rejected at another door.
void open(OpenCodeDoor& door, SessionRequest request, const std::optional<std::string>& parent_ref,
          net::Exchange exchange) {
    if (parent_ref) {
        const auto* parent = door.broker().find_live(*parent_ref, viewer(exchange));
        if (parent == nullptr)
            return opencode::reply_no_session(exchange, Generation::v1, *parent_ref);
        request.parent = parent->session->id;
    }
    const Viewer who = viewer(exchange);
    auto opened = [&door, exchange = std::move(exchange)](Result<SessionPtr> session) mutable {
        if (!session) return opencode::reply_error(exchange, Generation::v1, session.error());
        reply_session(door, exchange, **session);
    };
    door.broker().open_session(std::move(request), who, std::move(opened));
}

void create(OpenCodeDoor& door, net::Exchange exchange) {
    const auto body = opencode::read_body(exchange);
    if (!body) return opencode::reply_error(exchange, Generation::v1, body.error());
    auto input = opencode::read_session_input(*body);
    if (!input) return opencode::reply_error(exchange, Generation::v1, input.error());
    SessionRequest request{.title = std::move(input->title),
                           .directory = opencode::directory_of(exchange),
                           .on_dismiss = OnDismiss::stop};
    const Viewer who = viewer(exchange);
    const auto parent = input->parent;
    hear_of_session(
        door.broker(), parent.value_or(""), who,
        [&door, request = std::move(request), parent, exchange = std::move(exchange)]() mutable {
            open(door, std::move(request), parent, std::move(exchange));
        });
}

// Live sessions, the newest first, that `is_wanted` takes. Those that end before their turn to be
// written are left out.
template <class F>
net::Co<void> reply_list(OpenCodeDoor* door, net::Exchange exchange, F is_wanted) {
    const Viewer who = viewer(exchange);
    SlicedReply reply(std::move(exchange));
    reply.text() += '[';
    bool is_first = true;
    std::optional<SessionId> last;
    while (true) {
        const auto* next = door->broker().live_before(last, who);
        for (; next != nullptr && !reply.is_full(); next = door->broker().live_before(last, who)) {
            const Session& session = *next->session;
            last = session.id;
            if (!is_wanted(session)) continue;
            if (!std::exchange(is_first, false)) reply.text() += ',';
            std::string text;
            json::Writer out(text);
            opencode::write_session(out, session, door->scene_of(&session));
            reply.text() += text;
        }
        if (next == nullptr) break;
        if (!co_await reply.pause()) co_return;
    }
    reply.text() += ']';
    reply.finish();
}

net::Co<void> list_sessions(OpenCodeDoor* door, net::Exchange exchange) {
    if (opencode::is_refused_workspace(exchange)) co_return;
    const auto limit = opencode::query_limit(exchange, std::numeric_limits<std::size_t>::max());
    if (!limit) co_return;
    auto is_wanted = [directory = opencode::directory_of(exchange),
                      has_roots_only = exchange.query().get("roots") == "true",
                      search = std::string(exchange.query().get("search")),
                      left = *limit](const Session& session) mutable {
        const std::string_view title = session.title ? std::string_view(*session.title) : "";
        const bool is_listed = !(has_roots_only && session.parent) &&
                               opencode::is_seen_from(directory, &session) &&
                               title.find(search) != std::string_view::npos;
        if (!is_listed || left == 0) return false;
        --left;
        return true;
    };
    co_await reply_list(door, std::move(exchange), std::move(is_wanted));
}

// Whatever directory the client works in.
net::Co<void> list_all(OpenCodeDoor* door, net::Exchange exchange) {
    co_await reply_list(door, std::move(exchange), [](const Session&) { return true; });
}

void status(OpenCodeDoor& door, net::Exchange exchange) {
    const auto directory = opencode::directory_of(exchange);
    const Viewer who = viewer(exchange);
    std::string text;
    json::Writer out(text);
    out.begin_object();
    const auto* entry = door.broker().live_before(std::nullopt, who);
    for (; entry != nullptr; entry = door.broker().live_before(entry->session->id, who)) {
        const Session& session = *entry->session;
        const bool is_busy = door.broker().is_busy(session.id, who);
        if (!is_busy || !opencode::is_seen_from(directory, &session)) continue;
        out.key(session.id.str()).begin_object().field("type", "busy").end_object();
    }
    out.end_object();
    opencode::reply(exchange, 200, std::move(text));
}

void get(OpenCodeDoor& door, net::Exchange exchange) {
    const std::string ref(exchange.param("sessionID"));
    const Viewer who = viewer(exchange);
    door.broker().find_session(
        ref, who, [&door, ref, exchange = std::move(exchange)](Result<SessionPtr> session) mutable {
            if (!session) return opencode::reply_no_session(exchange, Generation::v1, ref);
            reply_session(door, exchange, **session);
        });
}

// Only a session's title can be changed here; what else clients send is passed over.
void rename(OpenCodeDoor& door, net::Exchange exchange) {
    const auto body = opencode::read_body(exchange);
    if (!body) return opencode::reply_error(exchange, Generation::v1, body.error());
    auto title = opencode::read_new_title(*body);
    if (!title) return opencode::reply_error(exchange, Generation::v1, title.error());
    if (!*title) return get(door, std::move(exchange));
    const auto session = opencode::path_session(door, exchange, Generation::v1);
    if (!session) return;
    const Viewer who = viewer(exchange);
    door.broker().set_title(
        *session, std::move(**title), who,
        [&door, exchange = std::move(exchange)](const Result<SessionPtr>& renamed) mutable {
            if (!renamed) return opencode::reply_error(exchange, Generation::v1, renamed.error());
            reply_session(door, exchange, **renamed);
        });
}

net::Co<void> children(OpenCodeDoor* door, net::Exchange exchange) {
    const auto parent = opencode::path_session(*door, exchange, Generation::v1);
    if (!parent) co_return;
    co_await reply_list(door, std::move(exchange), [parent = *parent](const Session& session) {
        return session.parent == parent;
    });
}

Done<SessionPtr> replying_true(net::Exchange exchange) {
    return [exchange = std::move(exchange)](const Result<SessionPtr>& session) mutable {
        if (!session) return opencode::reply_error(exchange, Generation::v1, session.error());
        opencode::reply_true(exchange);
    };
}

void abort_turn(OpenCodeDoor& door, net::Exchange exchange) {
    const auto session = opencode::path_session(door, exchange, Generation::v1);
    if (!session) return;
    const Actor who = opencode::actor(exchange);
    door.broker().abort(session->str(), who, replying_true(std::move(exchange)));
}

void remove(OpenCodeDoor& door, net::Exchange exchange) {
    const auto session = opencode::path_session(door, exchange, Generation::v1);
    if (!session) return;
    const Actor who = opencode::actor(exchange);
    door.broker().end_session(session->str(), std::nullopt, who,
                              replying_true(std::move(exchange)));
}

}  // namespace

void OpenCodeDoor::add_session_routes(net::Router& router) {
    const auto with = [this](void (*handler)(OpenCodeDoor&, net::Exchange)) {
        return [this, handler](net::Exchange exchange) { handler(*this, std::move(exchange)); };
    };
    const auto with_co = [this](net::Co<void> (*handler)(OpenCodeDoor*, net::Exchange)) {
        return
            [this, handler](net::Exchange exchange) { return handler(this, std::move(exchange)); };
    };
    const auto knowing = [&](void (*handler)(OpenCodeDoor&, net::Exchange)) {
        return knowing_session(broker(), "sessionID", with(handler));
    };
    router.post("/session", with(create), opencode::json_route(Needs::token));
    router.get("/session", with_co(list_sessions), route(Needs::responder));
    router.get("/experimental/session", with_co(list_all), route(Needs::responder));
    router.get("/session/status", with(status), route(Needs::responder));
    router.get("/session/{sessionID}", knowing(get), route(Needs::token));
    router.patch("/session/{sessionID}", knowing_session_co(broker(), "sessionID", with(rename)),
                 opencode::json_route(Needs::responder));
    router.del("/session/{sessionID}", knowing(remove), route(Needs::responder));
    router.get("/session/{sessionID}/children",
               knowing_session_co(broker(), "sessionID", with_co(children)),
               route(Needs::responder));
    router.post("/session/{sessionID}/abort", knowing(abort_turn), route(Needs::responder));
}

}  // namespace parley
