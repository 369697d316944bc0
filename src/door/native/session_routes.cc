// SPDX-License-Identifier: Apache-2.0
// Sessions and what passes in them beside asks: /v1/sessions…, /v1/notices.
#include <utility>
#include <vector>

#include "broker/limits.h"
#include "dialect/native/owner.h"
#include "door/known_session.h"
#include "door/native/limits.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"

namespace parley {

namespace {

using native::reply;
using native::reply_problem;

Error no_parent(const LoopBroker& broker, const std::string& ref) {
    Error error = broker.missing("there is no live session " + ref);
    error.faults.push_back({"/parent", error.message});
    return error;
}

Done<SessionPtr> reply_session(const LoopBroker& broker, net::Exchange exchange, int status) {
    return [&broker, status, exchange = std::move(exchange)](Result<SessionPtr> session) mutable {
        if (!session) return reply_problem(exchange, session.error());
        const std::size_t pending = broker.pending_count((*session)->id, native::viewer(exchange));
        reply(exchange, status, native::session_document(**session, pending));
    };
}

Done<void> reply_accepted(net::Exchange exchange) {
    return [exchange = std::move(exchange)](Result<void> result) mutable {
        if (!result) return reply_problem(exchange, result.error());
        reply(exchange, 202, "{}");
    };
}

void open(LoopBroker& broker, native::SessionBody body, net::Exchange exchange) {
    SessionRequest request{.name = std::move(body.name),
                           .title = std::move(body.title),
                           .agent = std::move(body.agent),
                           .directory = std::move(body.directory),
                           .on_dismiss = body.on_dismiss,
                           .ask_timeout = body.ask_timeout};
    const Viewer who = native::viewer(exchange);
    if (body.parent) {
        const auto* parent = broker.find_live(*body.parent, who);
        if (parent == nullptr) return reply_problem(exchange, no_parent(broker, *body.parent));
        request.parent = parent->session->id;
    }
    const bool is_known = request.name && broker.find_live(*request.name, who) != nullptr;
    broker.open_session(std::move(request), who,
                        reply_session(broker, std::move(exchange), is_known ? 200 : 201));
}

void create(LoopBroker& broker, net::Exchange exchange) {
    auto body = native::read_session(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Viewer who = native::viewer(exchange);
    const std::string parent = body->parent.value_or("");
    hear_of_session(broker, parent, who,
                    [&broker, body = std::move(*body), exchange = std::move(exchange)]() mutable {
                        open(broker, std::move(body), std::move(exchange));
                    });
}

void list(LoopBroker& broker, net::Exchange exchange) {
    const auto limit = native::query_number(exchange, "limit", native::kPageRange);
    if (!limit) return;
    const auto order = native::query_choice<ListOrder>(
        exchange, "order", ListOrder::oldest_first,
        {{"oldest", ListOrder::oldest_first}, {"newest", ListOrder::newest_first}});
    if (!order) return;
    const auto state = native::query_choice<std::optional<SessionState>>(
        exchange, "state", std::nullopt,
        {{"live", SessionState::live}, {"ended", SessionState::ended}});
    if (!state) return;
    const auto after = native::query_after<SessionId>(exchange);
    if (!after) return;
    const SessionQuery query{.state = *state, .after = *after, .limit = *limit, .order = *order};
    const Viewer who = native::viewer(exchange);
    broker.list_sessions(
        query, who,
        [&broker, who, exchange = std::move(exchange)](Result<SessionPage> page) mutable {
            if (!page) return reply_problem(exchange, page.error());
            std::vector<native::ListedSession> listed;
            for (const SessionPtr& session : page->sessions)
                listed.push_back({session, broker.pending_count(session->id, who)});
            std::optional<SessionId> next;
            if (page->has_more) next = page->sessions.back()->id;
            reply(exchange, 200, native::session_page(listed, next));
        });
}

// DELETE and abort; `stop` is the one that the route means.
template <class Stop>
void stop_session(LoopBroker& broker, net::Exchange exchange, Stop stop) {
    auto body = native::read_reason(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const std::string ref(exchange.param("id"));
    const Actor actor = native::actor(exchange, std::move(body->by));
    stop(ref, std::move(body->reason), actor, reply_session(broker, std::move(exchange), 200));
}

void end(LoopBroker& broker, net::Exchange exchange) {
    stop_session(broker, std::move(exchange),
                 [&](const std::string& ref, std::optional<std::string> reason, const Actor& actor,
                     Done<SessionPtr> done) {
                     broker.end_session(ref, std::move(reason), actor, std::move(done));
                 });
}

void abort_turn(LoopBroker& broker, net::Exchange exchange) {
    stop_session(broker, std::move(exchange),
                 [&](const std::string& ref, const std::optional<std::string>&, const Actor& actor,
                     Done<SessionPtr> done) { broker.abort(ref, actor, std::move(done)); });
}

void say(LoopBroker& broker, net::Exchange exchange) {
    auto body = native::read_message(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    const Actor actor = native::actor(exchange, std::move(body->by));
    const std::string ref(exchange.param("id"));
    broker.say(ref, std::move(body->text), actor,
               [exchange = std::move(exchange)](Result<Said> said) mutable {
                   if (!said) return reply_problem(exchange, said.error());
                   reply(exchange, 202, native::said_document(*said));
               });
}

void queued_messages(LoopBroker& broker, net::Exchange exchange) {
    const auto* entry = broker.find_live(exchange.param("id"), native::viewer(exchange));
    if (entry == nullptr)
        return reply_problem(exchange, broker.missing("there is no such live session"));
    std::vector<native::ListedMessage> listed;
    for (const QueuedMessage& queued : entry->messages)
        listed.push_back({&queued.message, queued.at});
    reply(exchange, 200, native::message_page(listed));
}

void take_messages(LoopBroker& broker, net::Exchange exchange) {
    const auto up_to = native::read_taken(exchange.body());
    if (!up_to) return reply_problem(exchange, up_to.error());
    const std::string ref(exchange.param("id"));
    const Viewer who = native::viewer(exchange);
    broker.take_messages(ref, *up_to, who, reply_accepted(std::move(exchange)));
}

void push(LoopBroker& broker, net::Exchange exchange) {
    auto items = native::read_stream(exchange.body());
    if (!items) return native::reply_push_problem(exchange, std::move(items).error());
    const std::string ref(exchange.param("id"));
    const Viewer who = native::viewer(exchange);
    broker.push(ref, std::move(*items), who,
                [exchange = std::move(exchange)](Result<void> done) mutable {
                    if (!done) return native::reply_push_problem(exchange, std::move(done).error());
                    reply(exchange, 202, "{}");
                });
}

// What happened in a session, newest page first; drafts are nobody else's business, and one's own
// are read with their ask.
void list_log(LoopBroker& broker, net::Exchange exchange) {
    const auto limit = native::query_number(exchange, "limit", native::kPageRange);
    if (!limit) return;
    EventQuery query{.after = {},
                     .limit = *limit,
                     .order = ListOrder::newest_first,
                     .bytes = limits::kLoggedBytes};
    if (const auto before = exchange.query().find("before")) {
        const auto cursor = native::parse_cursor(*before);
        if (!cursor)
            return reply_problem(
                exchange, {ErrorCode::invalid, "?before= must be the `next` of another page"});
        query.after = *cursor;
    }
    const std::string ref(exchange.param("id"));
    const Viewer who = native::viewer(exchange);
    broker.find_session(
        ref, who,
        [&broker, query, who, exchange = std::move(exchange)](Result<SessionPtr> session) mutable {
            if (!session) return reply_problem(exchange, session.error());
            query.session = (*session)->id;
            const std::size_t pending = broker.pending_count((*session)->id, who);
            auto told = [pending, session = *session,
                         exchange = std::move(exchange)](Result<ShownEvents> page) mutable {
                if (!page) return reply_problem(exchange, page.error());
                std::reverse(page->events.begin(), page->events.end());
                const native::OneName name(session->name.value_or(""));
                reply(exchange, 200,
                      native::event_page(page->events, page->next,
                                         {.names = &name, .pending = pending}));
            };
            broker.list_events(query, who, std::move(told));
        });
}

void tell(LoopBroker& broker, native::NoticeBody body, net::Exchange exchange) {
    const Viewer who = native::viewer(exchange);
    broker.give_notice(body.session, std::move(body.notice), who,
                       [exchange = std::move(exchange)](Result<void> told) mutable {
                           if (told) return reply(exchange, 202, "{}");
                           if (told.error().code != ErrorCode::overloaded)
                               return reply_problem(exchange, told.error());
                           // It is this speaker that says too much: others may go on.
                           net::Refusal refusal{
                               .status = 429, .detail = told.error().message, .type = "too-often"};
                           refusal.headers.add("Retry-After", limits::kNoticeWindow.count());
                           exchange.respond(native::shape_refusal(refusal));
                       });
}

void give_notice(LoopBroker& broker, net::Exchange exchange) {
    auto body = native::read_notice(exchange.body());
    if (!body) return reply_problem(exchange, body.error());
    body->notice.by = native::caller(exchange).name;
    const Viewer who = native::viewer(exchange);
    const std::string session = body->session;
    hear_of_session(broker, session, who,
                    [&broker, body = std::move(*body), exchange = std::move(exchange)]() mutable {
                        tell(broker, std::move(body), std::move(exchange));
                    });
}

}  // namespace

void NativeDoor::add_session_routes(net::Router& router) {
    LoopBroker& broker = wiring_.broker;
    const auto with = [&broker](void (*handler)(LoopBroker&, net::Exchange)) {
        return [&broker, handler](net::Exchange exchange) { handler(broker, std::move(exchange)); };
    };
    const auto knowing = [&](void (*handler)(LoopBroker&, net::Exchange)) {
        return knowing_session_co(broker, "id", with(handler));
    };
    router.post("/v1/sessions", with(create), native::json_route(Needs::asker));
    // An agent sees the sessions whose names it knows.
    router.get("/v1/sessions", with(list), route(Needs::responder));
    router.get("/v1/sessions/{id}",
               knowing_session(broker, "id",
                               [&broker](net::Exchange exchange) {
                                   const std::string ref(exchange.param("id"));
                                   const Viewer who = native::viewer(exchange);
                                   broker.find_session(
                                       ref, who, reply_session(broker, std::move(exchange), 200));
                               }),
               route(Needs::token));
    router.del("/v1/sessions/{id}", knowing(end), native::json_route(Needs::token));
    router.post("/v1/sessions/{id}/abort", knowing(abort_turn), native::json_route(Needs::token));
    router.post("/v1/sessions/{id}/messages", knowing(say), native::json_route(Needs::responder));
    router.get("/v1/sessions/{id}/messages", knowing_session(broker, "id", with(queued_messages)),
               route(Needs::token));
    router.post("/v1/sessions/{id}/messages/taken", knowing(take_messages),
                native::json_route(Needs::asker));
    router.post("/v1/sessions/{id}/events", knowing(push), native::json_route(Needs::asker));
    router.get("/v1/sessions/{id}/events", knowing_session(broker, "id", with(list_log)),
               route(Needs::responder));
    router.post("/v1/notices", with(give_notice), native::json_route(Needs::asker));
}

}  // namespace parley
