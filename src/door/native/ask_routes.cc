// SPDX-License-Identifier: Apache-2.0
// POST /v1/asks, GET /v1/asks, GET /v1/asks/{id}; `?wait=` holds the answer until the ask is
// settled, the time is over, the caller is gone or the server stops.
#include <memory>
#include <utility>

#include "base/limits.h"
#include "core/profile.h"
#include "door/native/native_door.h"
#include "door/native/replies.h"

namespace parley {

namespace {

using native::reply;
using native::reply_problem;

constexpr std::size_t kWaitMaxSeconds = std::chrono::seconds(limits::kWaitMax).count();

// A request that waits. Whatever ends the wait first answers; the rest finds it answered.
class HeldRequest : public std::enable_shared_from_this<HeldRequest> {
public:
    HeldRequest(net::Exchange exchange, NativeDoor::Wiring wiring, AskPtr ask, int unsettled_status,
                std::string session)
        : exchange_(std::move(exchange)),
          wiring_(wiring),
          ask_(std::move(ask)),
          unsettled_status_(unsettled_status),
          session_(std::move(session)) {}

    void hold(std::chrono::seconds time) {
        const std::weak_ptr<HeldRequest> weak = weak_from_this();
        // The wait owns the request; dropping the wait drops it.
        wait_ = wiring_.broker.wait(ask_->id, [self = shared_from_this()](Result<AskPtr> settled) {
            if (settled) {
                self->finish(*settled);
            } else {
                self->finish(self->ask_);
            }
        });
        const auto give_up = [weak] {
            if (const auto self = weak.lock()) self->finish(self->ask_);
        };
        wiring_.home.post_at(wiring_.clock.mono() + time, give_up);
        exchange_->on_server_closing(give_up);
        exchange_->on_peer_gone([weak] {
            const auto self = weak.lock();
            if (!self) return;
            self->exchange_.reset();
            self->wait_.cancel();
        });
    }

private:
    void finish(const AskPtr& ask) {
        if (!exchange_) return;
        const int status = ask->is_pending() ? unsettled_status_ : 200;
        reply(*exchange_, status, native::ask_document(*ask, {.session = session_}));
        exchange_.reset();
        wait_.cancel();
    }

    std::optional<net::Exchange> exchange_;
    NativeDoor::Wiring wiring_;
    AskPtr ask_;
    int unsettled_status_;
    std::string session_;
    Wait wait_;
};

void reply_or_hold(net::Exchange exchange, NativeDoor::Wiring wiring, AskPtr ask,
                   std::size_t wait_seconds, int status, std::string session) {
    if (wait_seconds == 0 || !ask->is_pending()) {
        reply(exchange, status, native::ask_document(*ask, {.session = session}));
        return;
    }
    // A status that says "created" becomes "accepted" for one who wanted to see the end.
    const int unsettled = status == 200 ? 200 : 202;
    std::make_shared<HeldRequest>(std::move(exchange), wiring, std::move(ask), unsettled,
                                  std::move(session))
        ->hold(std::chrono::seconds(wait_seconds));
}

void post_ask(NativeDoor::Wiring wiring, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", 0, kWaitMaxSeconds);
    if (!wait) return;
    auto request = native::read_ask(exchange.body(), kOpenProfile);
    if (!request) return reply_problem(exchange, request.error());
    const Actor actor = native::actor(exchange);
    std::string session(native::shown_name(request->session));
    const bool has_wait = exchange.query().find("wait").has_value();
    wiring.broker.ask(std::move(*request), kOpenProfile, actor,
                      [wiring, exchange = std::move(exchange), wait = *wait, has_wait,
                       session = std::move(session)](Result<OpenedAsk> opened) mutable {
                          if (!opened) return reply_problem(exchange, opened.error());
                          exchange.add_header("Location", "/v1/asks/" + opened->ask->id.str());
                          const bool is_settled = !opened->ask->is_pending();
                          const int fresh = has_wait ? (is_settled ? 200 : 202) : 201;
                          const int status =
                              opened->is_new ? fresh : (has_wait && !is_settled ? 202 : 200);
                          reply_or_hold(std::move(exchange), wiring, std::move(opened->ask), wait,
                                        status, std::move(session));
                      });
}

void get_ask(NativeDoor::Wiring wiring, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", 0, kWaitMaxSeconds);
    if (!wait) return;
    const auto id = native::path_ask(exchange);
    if (!id) return;
    wiring.broker.find_ask(*id, [wiring, wait = *wait, exchange = std::move(exchange),
                                 id = *id](Result<AskPtr> found) mutable {
        if (!found) return reply_problem(exchange, found.error());
        if (!native::may_see(native::caller(exchange), **found)) {
            return reply_problem(exchange, {ErrorCode::not_found, "there is no ask " + id.str()});
        }
        reply_or_hold(std::move(exchange), wiring, std::move(*found), wait, 200, {});
    });
}

std::optional<AskState> parse_state(std::string_view text) {
    for (const AskState state : {AskState::pending, AskState::answered, AskState::dismissed,
                                 AskState::timed_out, AskState::withdrawn})
        if (to_string(state) == text) return state;
    return std::nullopt;
}

// Reads the list's filters; nothing if the request was answered with a problem.
std::optional<AskQuery> read_filters(NativeDoor::Wiring wiring, net::Exchange& exchange) {
    AskQuery query;
    const auto limit =
        native::query_number(exchange, "limit", limits::kListPageDefault, limits::kListPageMax);
    if (!limit) return std::nullopt;
    query.limit = std::max<std::size_t>(1, *limit);
    if (const auto state = exchange.query().find("state")) {
        query.state = parse_state(*state);
        if (!query.state) {
            reply_problem(exchange, {ErrorCode::invalid,
                                     "?state= must be pending, answered, dismissed, timed_out or "
                                     "withdrawn"});
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
        const auto id = wiring.broker.resolve(*session);
        if (!id) {
            reply_problem(exchange, id.error());
            return std::nullopt;
        }
        query.session = *id;
    }
    return query;
}

void list_asks(NativeDoor::Wiring wiring, net::Exchange exchange) {
    const auto query = read_filters(wiring, exchange);
    if (!query) return;
    std::string session(native::shown_name(exchange.query().get("session")));
    wiring.broker.list_asks(*query, [exchange = std::move(exchange),
                                     session = std::move(session)](Result<AskPage> page) mutable {
        if (!page) return reply_problem(exchange, page.error());
        std::optional<AskId> next;
        if (page->has_more) next = page->asks.back()->id;
        const Caller& who = native::caller(exchange);
        std::erase_if(page->asks, [&](const AskPtr& ask) { return !native::may_see(who, *ask); });
        reply(exchange, 200, native::ask_page(page->asks, next, {.session = session}));
    });
}

}  // namespace

void NativeDoor::add_ask_routes(net::Router& router) {
    router.post(
        "/v1/asks", [this](net::Exchange exchange) { post_ask(wiring_, std::move(exchange)); },
        native::json_route(Needs::asker));
    router.get(
        "/v1/asks", [this](net::Exchange exchange) { list_asks(wiring_, std::move(exchange)); },
        route(Needs::token));
    router.get(
        "/v1/asks/{id}", [this](net::Exchange exchange) { get_ask(wiring_, std::move(exchange)); },
        route(Needs::token));
}

}  // namespace parley
