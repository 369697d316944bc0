// SPDX-License-Identifier: Apache-2.0
// POST /v1/asks, GET /v1/asks, GET /v1/asks/{id}.
#include <memory>
#include <utility>

#include "base/limits.h"
#include "core/profile.h"
#include "door/native/held_request.h"
#include "door/native/native_door.h"
#include "door/native/replies.h"

namespace parley {

namespace {

using native::reply;
using native::reply_problem;

constexpr native::NumberRange kWaitRange = {.max = std::chrono::seconds(limits::kWaitMax).count()};

struct AskDesk {
    LoopBroker& broker;
    std::shared_ptr<Alarms> alarms;
    std::shared_ptr<native::AskTexts> texts;
};

// `wait` is what `?wait=` said.
void reply_or_hold(const AskDesk& desk, net::Exchange exchange, HeldRequest::Subject subject,
                   std::size_t wait) {
    if (wait > 0 && subject.ask->is_pending()) {
        HeldRequest::hold(std::move(exchange), {desk.broker, desk.alarms, desk.texts},
                          std::move(subject), std::chrono::seconds(wait));
        return;
    }
    const int status = subject.ask->is_pending() ? subject.unsettled_status : 200;
    const auto* snoozes = desk.broker.ledger().find_snoozes(native::caller(exchange).principal);
    reply(exchange, status,
          native::ask_document(
              *subject.ask,
              {.session = subject.session, .snoozes = snoozes, .texts = desk.texts.get()}));
}

void post_ask(const AskDesk& desk, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", kWaitRange);
    if (!wait) return;
    auto request = native::read_ask(exchange.body(), kOpenProfile);
    if (!request) return reply_problem(exchange, request.error());
    const Actor actor = native::actor(exchange);
    std::string session(native::shown_name(request->session));
    desk.broker.ask(std::move(*request), kOpenProfile, actor,
                    [desk, exchange = std::move(exchange), wait = *wait,
                     session = std::move(session)](Result<OpenedAsk> opened) mutable {
                        if (!opened) return reply_problem(exchange, opened.error());
                        exchange.add_header("Location", "/v1/asks/" + opened->ask->id.str());
                        // Who wants to see the end is told "accepted" until then; others "created",
                        // once.
                        const bool has_wait = exchange.query().find("wait").has_value();
                        const int unsettled = has_wait ? 202 : opened->is_new ? 201 : 200;
                        reply_or_hold(desk, std::move(exchange),
                                      {.ask = std::move(opened->ask),
                                       .session = std::move(session),
                                       .unsettled_status = unsettled},
                                      wait);
                    });
}

void get_ask(const AskDesk& desk, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", kWaitRange);
    if (!wait) return;
    const auto id = native::path_ask(exchange);
    if (!id) return;
    desk.broker.find_ask(*id, [desk, wait = *wait, exchange = std::move(exchange),
                               id = *id](Result<AskPtr> found) mutable {
        if (!found) return reply_problem(exchange, found.error());
        if (!native::may_see(native::caller(exchange), **found))
            return native::reply_no_ask(exchange, id);
        reply_or_hold(desk, std::move(exchange), {.ask = std::move(*found)}, wait);
    });
}

std::optional<AskState> parse_state(std::string_view text) {
    for (const AskState state : {AskState::pending, AskState::answered, AskState::dismissed,
                                 AskState::timed_out, AskState::withdrawn})
        if (to_string(state) == text) return state;
    return std::nullopt;
}

// Reads the list's filters; nothing if the request was answered with a problem.
std::optional<AskQuery> read_filters(const LoopBroker& broker, net::Exchange& exchange) {
    AskQuery query;
    const auto limit = native::query_number(exchange, "limit", native::kPageRange);
    if (!limit) return std::nullopt;
    query.limit = *limit;
    if (const auto state = exchange.query().find("state")) {
        query.state = parse_state(*state);
        if (!query.state) {
            reply_problem(exchange, {ErrorCode::invalid,
                                     "?state= must be pending, answered, dismissed, timed_out or "
                                     "withdrawn"});
            return std::nullopt;
        }
    }
    if (const auto order = exchange.query().find("order")) {
        if (*order == "newest") query.order = ListOrder::newest_first;
        if (*order != "newest" && *order != "oldest") {
            reply_problem(exchange, {ErrorCode::invalid, "?order= must be oldest or newest"});
            return std::nullopt;
        }
    }
    if (const auto after = exchange.query().find("after")) {
        query.after = AskId::parse(*after);
        if (!query.after) {
            reply_problem(exchange,
                          {ErrorCode::invalid, "?after= must be the `next` of the page before"});
            return std::nullopt;
        }
    }
    if (const auto session = exchange.query().find("session")) {
        const auto id = broker.resolve(*session);
        if (!id) {
            reply_problem(exchange, id.error());
            return std::nullopt;
        }
        query.session = *id;
    }
    return query;
}

void list_asks(LoopBroker& broker, net::Exchange exchange) {
    const auto query = read_filters(broker, exchange);
    if (!query) return;
    std::string session(native::shown_name(exchange.query().get("session")));
    broker.list_asks(*query, [&broker, exchange = std::move(exchange),
                              session = std::move(session)](Result<AskPage> page) mutable {
        if (!page) return reply_problem(exchange, page.error());
        std::optional<AskId> next;
        if (page->has_more) next = page->asks.back()->id;
        const Caller& who = native::caller(exchange);
        std::erase_if(page->asks, [&](const AskPtr& ask) { return !native::may_see(who, *ask); });
        const auto* snoozes = broker.ledger().find_snoozes(who.principal);
        reply(exchange, 200,
              native::ask_page(page->asks, next, {.session = session, .snoozes = snoozes}));
    });
}

}  // namespace

void NativeDoor::add_ask_routes(net::Router& router) {
    const AskDesk desk{wiring_.broker, alarms_, texts_};
    router.post(
        "/v1/asks", [desk](net::Exchange exchange) { post_ask(desk, std::move(exchange)); },
        native::json_route(Needs::asker));
    router.get(
        "/v1/asks",
        [&broker = wiring_.broker](net::Exchange exchange) {
            list_asks(broker, std::move(exchange));
        },
        route(Needs::token));
    router.get(
        "/v1/asks/{id}", [desk](net::Exchange exchange) { get_ask(desk, std::move(exchange)); },
        route(Needs::token));
}

}  // namespace parley
