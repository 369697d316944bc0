// SPDX-License-Identifier: Apache-2.0
#include "door/operations.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/limits.h"
#include "core/event.h"
#include "dialect/native_owner.h"
#include "door/native/replies.h"

namespace parley {

namespace {

template <class Value>
void write_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, Value value) {
    fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help,
                   type, value);
}

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

void Histogram::add(double seconds) {
    ++count_;
    sum_ += seconds;
    for (std::size_t i = 0; i < kBounds.size(); ++i)
        if (seconds <= kBounds[i]) ++counts_[i];
}

void Histogram::write(std::string& out, std::string_view name, std::string_view help) const {
    auto end = std::back_inserter(out);
    fmt::format_to(end, "# HELP {0} {1}\n# TYPE {0} histogram\n", name, help);
    for (std::size_t i = 0; i < kBounds.size(); ++i)
        fmt::format_to(end, "{}_bucket{{le=\"{}\"}} {}\n", name, kBounds[i], counts_[i]);
    fmt::format_to(end, "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name, count_,
                   sum_);
}

void Operations::start(const net::HttpServer& server) {
    server_ = &server;
    auto feed = wiring_.broker.subscribe(
        {.after = wiring_.broker.ledger().head(), .is_internal = true}, [this] { count_events(); });
    if (feed) feed_ = std::move(*feed);
}

void Operations::count_events() {
    if (!feed_) return;
    do {
        taken_.clear();
        feed_.take(taken_, limits::kEventsTakenAtOnce);
        for (const Frame& frame : taken_) {
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event == nullptr) continue;
            const auto* settled = std::get_if<AskSettled>(&(*event)->body);
            if (settled == nullptr) continue;
            const Settlement& settlement = *settled->ask->settlement;
            ++settled_[{std::string(to_string(settlement.outcome)), settlement.door}];
            waiting_.add(seconds(settlement.at - settled->ask->created_at));
        }
    } while (!taken_.empty());
}

void Operations::record(const net::AccessRecord& record) {
    ++responses_[record.status / 100];
    // A request that waits for a person says nothing about the server.
    if (record.duration < std::chrono::seconds(1)) handling_.add(seconds(record.duration));
}

std::string Operations::metrics() const {
    const StoreStats& store = wiring_.broker.store_stats();
    const net::ServerCounts& server = server_->counts();
    std::string out;
    write_metric(out, "parley_asks_pending", "gauge", "Asks that wait for an answer.",
                 wiring_.broker.ledger().pending().size());
    write_metric(out, "parley_sessions_live", "gauge", "Sessions that have not ended.",
                 wiring_.broker.ledger().sessions().size());
    out +=
        "# HELP parley_asks_opened_total Asks opened since the start.\n"
        "# TYPE parley_asks_opened_total counter\n";
    for (const auto& [door, count] : wiring_.broker.opened_by_door())
        fmt::format_to(std::back_inserter(out), "parley_asks_opened_total{{door=\"{}\"}} {}\n",
                       door, count);
    out +=
        "# HELP parley_asks_settled_total Asks settled since the start.\n"
        "# TYPE parley_asks_settled_total counter\n";
    for (const auto& [labels, count] : settled_) {
        fmt::format_to(std::back_inserter(out),
                       "parley_asks_settled_total{{outcome=\"{}\",door=\"{}\"}} {}\n", labels.first,
                       labels.second, count);
    }
    waiting_.write(out, "parley_ask_wait_seconds", "From an ask to its settlement.");
    write_metric(out, "parley_store_commits_total", "counter", "Transactions.", store.commits);
    write_metric(out, "parley_store_changes_total", "counter", "Changes in them.", store.changes);
    write_metric(out, "parley_store_failures_total", "counter", "Failed transactions.",
                 store.failures);
    write_metric(out, "parley_store_commit_seconds_total", "counter", "Time spent in transactions.",
                 seconds(store.commit_time_total));
    write_metric(out, "parley_store_commit_last_seconds", "gauge", "The last transaction.",
                 seconds(store.commit_time_last));
    write_metric(out, "parley_ready", "gauge", "1 if asks and answers can be stored.",
                 wiring_.broker.is_ready() ? 1 : 0);
    write_metric(out, "parley_subscribers", "gauge", "Readers of events.",
                 wiring_.broker.subscriber_count());
    write_metric(out, "parley_slow_subscribers_cut_total", "counter",
                 "Streams cut because their client did not read.", server.cut_slow_total);
    write_metric(out, "parley_connections", "gauge", "Open connections.", server.connections);
    write_metric(out, "parley_requests_total", "counter", "Requests.", server.requests_total);
    write_metric(out, "parley_login_failures_total", "counter", "Requests with a wrong token.",
                 wiring_.access.failed_logins());
    out +=
        "# HELP parley_responses_total Responses by class of status.\n"
        "# TYPE parley_responses_total counter\n";
    for (const auto& [hundred, count] : responses_)
        fmt::format_to(std::back_inserter(out), "parley_responses_total{{class=\"{}xx\"}} {}\n",
                       hundred, count);
    handling_.write(out, "parley_request_seconds", "Requests that did not wait for a person.");
    return out;
}

void Operations::add_routes(net::Router& router) {
    router.get(
        "/healthz",
        [](net::Exchange exchange) {
            exchange.respond({.content_type = net::kPlainText, .body = net::Body::literal("ok\n")});
        },
        route(Needs::nothing));
    router.get(
        "/v1/server",
        [this](net::Exchange exchange) {
            native::reply(
                exchange, 200,
                native::server_document({.version = wiring_.version, .page = wiring_.page()}));
        },
        route(Needs::token));
    router.get(
        "/readyz",
        [this](net::Exchange exchange) {
            if (wiring_.broker.is_ready()) {
                exchange.respond(
                    {.content_type = net::kPlainText, .body = net::Body::literal("ready\n")});
            } else {
                exchange.respond({.status = 503,
                                  .content_type = net::kPlainText,
                                  .body = net::Body::literal("the store cannot be written now\n")});
            }
        },
        route(Needs::nothing));
    router.get(
        "/metrics",
        [this](net::Exchange exchange) {
            exchange.respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                              .body = net::Body(metrics())});
        },
        route(Needs::responder));
}

}  // namespace parley
