// SPDX-License-Identifier: Apache-2.0
// POST /v1/asks, GET /v1/asks, GET /v1/asks/{id}.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/turns.h"
#include "core/profile.h"
#include "door/limits.h"
#include "door/native/ask_search.h"
#include "door/native/held_request.h"
#include "door/native/limits.h"
#include "door/native/native_door.h"
#include "door/native/native_replies.h"

namespace parley {

namespace {

using native::reply;
using native::reply_problem;

constexpr native::NumberRange kWaitRange = {.max = std::chrono::seconds(limits::kWaitMax).count()};

struct AskDesk {
    LoopBroker& broker;
    std::shared_ptr<Alarms> alarms;
    std::shared_ptr<native::AskTexts> texts;
    std::shared_ptr<KnownNames> names;
    // A list stands in memory until it is written, and many may be asked for at once.
    std::shared_ptr<Turns> lists = std::make_shared<Turns>(1);
};

// `wait` is what `?wait=` said.
void reply_or_hold(const AskDesk& desk, net::Exchange exchange, HeldRequest::Subject subject,
                   std::size_t wait) {
    if (wait > 0 && subject.ask->is_pending()) {
        HeldRequest::hold(std::move(exchange), {desk.broker, desk.alarms, desk.texts, desk.names},
                          std::move(subject), std::chrono::seconds(wait));
        return;
    }
    auto told = [desk, exchange = std::move(exchange), subject]() mutable {
        const int status = subject.ask->is_pending() ? subject.unsettled_status : 200;
        const auto* snoozes = desk.broker.snoozes_of(native::caller(exchange).principal);
        reply(exchange, status,
              native::ask_document(
                  *subject.ask,
                  {.names = desk.names.get(), .snoozes = snoozes, .texts = desk.texts.get()}));
    };
    desk.names->look_up({&subject.ask, 1}, std::move(told));
}

void post_ask(const AskDesk& desk, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", kWaitRange);
    if (!wait) return;
    auto request = native::read_ask(exchange.body(), kOpenProfile);
    if (!request) return reply_problem(exchange, request.error());
    const Actor actor = native::actor(exchange);
    desk.broker.ask(
        std::move(*request), kOpenProfile, actor,
        [desk, exchange = std::move(exchange), wait = *wait](Result<OpenedAsk> opened) mutable {
            if (!opened) return reply_problem(exchange, opened.error());
            exchange.add_header("Location", "/v1/asks/" + opened->ask->id.str());
            // Who wants to see the end is told "accepted" until then; others "created",
            // once.
            const bool has_wait = exchange.query().find("wait").has_value();
            const int unsettled = has_wait ? 202 : opened->is_new ? 201 : 200;
            reply_or_hold(desk, std::move(exchange),
                          {.ask = std::move(opened->ask), .unsettled_status = unsettled}, wait);
        });
}

void get_ask(const AskDesk& desk, net::Exchange exchange) {
    const auto wait = native::query_number(exchange, "wait", kWaitRange);
    if (!wait) return;
    const auto id = native::path_ask(exchange);
    if (!id) return;
    const Viewer who = native::viewer(exchange);
    desk.broker.find_ask(
        *id, who,
        [desk, wait = *wait, exchange = std::move(exchange)](Result<AskPtr> found) mutable {
            if (!found) return reply_problem(exchange, found.error());
            reply_or_hold(desk, std::move(exchange), {.ask = std::move(*found)}, wait);
        });
}

constexpr std::array kSettledStates = {AskState::answered, AskState::dismissed, AskState::timed_out,
                                       AskState::withdrawn};

std::optional<AskState> parse_state(std::string_view text) {
    for (const AskState state : {AskState::pending, AskState::answered, AskState::dismissed,
                                 AskState::timed_out, AskState::withdrawn})
        if (to_string(state) == text) return state;
    return std::nullopt;
}

// "answered,dismissed", or "settled" for all that is not pending; nullopt: one is no state.
std::optional<std::vector<AskState>> parse_states(std::string_view text) {
    if (text == "settled") return std::vector(kSettledStates.begin(), kSettledStates.end());
    std::vector<AskState> states;
    while (true) {
        const std::size_t comma = text.find(',');
        const auto state = parse_state(text.substr(0, comma));
        if (!state) return std::nullopt;
        states.push_back(*state);
        if (comma == std::string_view::npos) return states;
        text.remove_prefix(comma + 1);
    }
}

// Reads ?state= and ?q=; nothing if the request was answered with a problem.
std::optional<AskFilter> read_filter(net::Exchange& exchange) {
    AskFilter filter;
    if (const auto text = exchange.query().find("state")) {
        auto states = parse_states(*text);
        if (!states) {
            reply_problem(exchange, {ErrorCode::invalid,
                                     "?state= must be pending, answered, dismissed, timed_out, "
                                     "withdrawn, several of them with commas, or settled"});
            return std::nullopt;
        }
        filter.states = std::move(*states);
    }
    const std::string_view words = exchange.query().get("q");
    if (words.size() > limits::kSearchBytes) {
        reply_problem(exchange, {ErrorCode::invalid, fmt::format("?q= must be at most {} bytes",
                                                                 limits::kSearchBytes)});
        return std::nullopt;
    }
    filter.words = search_words(words);
    return filter;
}

// Reads where and how the list begins; nothing if the request was answered with a problem.
std::optional<AskQuery> read_query(const LoopBroker& broker, net::Exchange& exchange) {
    AskQuery query;
    const auto limit = native::query_number(exchange, "limit", native::kPageRange);
    if (!limit) return std::nullopt;
    query.limit = *limit;
    const auto order =
        native::query_choice<ListOrder>(exchange, "order", ListOrder::oldest_first,
                                        {{"oldest", ListOrder::oldest_first},
                                         {"newest", ListOrder::newest_first},
                                         {"settled", ListOrder::last_settled_first}});
    if (!order) return std::nullopt;
    query.order = *order;
    const auto after = native::query_after<AskId>(exchange);
    if (!after) return std::nullopt;
    query.after = *after;
    if (const auto session = exchange.query().find("session")) {
        const auto id = broker.resolve_shown(*session, native::viewer(exchange));
        if (!id) {
            reply_problem(exchange, id.error());
            return std::nullopt;
        }
        query.session = *id;
    }
    return query;
}

void list_asks(const AskDesk& desk, net::Exchange exchange) {
    const auto query = read_query(desk.broker, exchange);
    if (!query) return;
    auto filter = read_filter(exchange);
    if (!filter) return;
    if (query->order == ListOrder::last_settled_first) {
        if (std::ranges::find(filter->states, AskState::pending) != filter->states.end())
            return reply_problem(exchange, {ErrorCode::invalid,
                                            "?order=settled lists what is settled: leave pending "
                                            "out of ?state="});
        // That is what the order means already.
        if (std::ranges::equal(filter->states, kSettledStates)) filter->states.clear();
    }
    const Viewer who = native::viewer(exchange);
    auto told = [desk, exchange = std::move(exchange)](Result<AskSearch::Found> found) mutable {
        if (!found) {
            reply_problem(exchange, found.error());
            return desk.lists->give_back();
        }
        const std::span<const AskPtr> asks = found->asks;
        auto named = [desk, exchange = std::move(exchange), page = *found]() mutable {
            const std::string& principal = native::caller(exchange).principal;
            const native::Shown shown{.names = desk.names.get(),
                                      .snoozes = desk.broker.snoozes_of(principal)};
            reply(exchange, 200, native::ask_page(page.asks, page.next, shown));
            desk.lists->give_back();
        };
        desk.names->look_up(asks, std::move(named));
    };
    desk.lists->take([&broker = desk.broker, query = *query, who, filter = std::move(*filter),
                      told = std::move(told)]() mutable {
        AskSearch::run({broker, who}, query, std::move(filter), std::move(told));
    });
}

}  // namespace

void NativeDoor::add_ask_routes(net::Router& router) {
    const AskDesk desk{wiring_.broker, alarms_, texts_, names_};
    router.post(
        "/v1/asks", [desk](net::Exchange exchange) { post_ask(desk, std::move(exchange)); },
        native::json_route(Needs::asker));
    router.get(
        "/v1/asks", [desk](net::Exchange exchange) { list_asks(desk, std::move(exchange)); },
        route(Needs::token));
    router.get(
        "/v1/asks/{id}", [desk](net::Exchange exchange) { get_ask(desk, std::move(exchange)); },
        route(Needs::token));
}

}  // namespace parley
