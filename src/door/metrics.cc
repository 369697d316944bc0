// SPDX-License-Identifier: Apache-2.0
#include "door/metrics.h"

#include <fmt/format.h>

#include <utility>

#include "base/overload.h"
#include "core/event.h"
#include "door/limits.h"
#include "net/process_stats.h"

namespace parley {

namespace {

constexpr std::string_view reason_of(int status) {
    switch (status) {
        case 400: return "invalid";
        case 401: return "no-token";
        case 403: return "forbidden";
        case 404: return "not-found";
        case 405: return "wrong-method";
        case 408: return "too-slow";
        case 409: return "conflict";
        case 413: return "too-large";
        case 415: return "wrong-type";
        case 429: return "too-often";
        case 503: return "unavailable";
        default: return status < 500 ? "other" : "failed";
    }
}

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

double seconds_since_epoch(Instant at) {
    return std::chrono::duration<double>(at.time_since_epoch()).count();
}

}  // namespace

void Metrics::start(const net::HttpServer& server) {
    server_ = &server;
    follow();
}

void Metrics::follow() {
    auto feed = sources_.broker.subscribe(
        {.after = sources_.broker.head(), .viewer = kUnrestricted, .is_internal = true},
        [this] { count_events(); });
    if (feed) feed_ = std::move(*feed);
}

void Metrics::count_events() {
    if (!feed_) return;
    do {
        taken_.clear();
        feed_.take(taken_, limits::kEventsTakenAtOnce);
        for (const Frame& frame : taken_) {
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event != nullptr) count(**event);
        }
    } while (!taken_.empty());
    if (feed_.failure() != nullptr) follow();  // what was not read is not counted
}

void Metrics::count(const Event& event) {
    std::visit(
        Overload{
            [this](const AskSettled& settled) {
                const Settlement& settlement = *settled.ask->settlement;
                ++settled_[{std::string(to_string(settlement.outcome)), settlement.door}];
                waiting_.add(settlement.at - settled.ask->created_at);
            },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
}

void Metrics::record(const net::AccessRecord& record) {
    ++responses_[record.status / 100];
    if (record.status >= 400) ++refused_[reason_of(record.status)];
    // A request that waits for a person says nothing about the server.
    if (record.duration < std::chrono::seconds(1)) handling_.add(record.duration);
}

std::string Metrics::text() const {
    MetricsText out;
    out.begin("parley_build_info", "gauge", "1; the labels say what runs.");
    out.add("parley_build_info",
            fmt::format("version=\"{}\",compiler=\"{}\"", sources_.version, __VERSION__), 1);
    write_asks(out);
    write_store(out);
    write_requests(out);
    write_process(out);
    return std::move(out).take();
}

void Metrics::write_asks(MetricsText& out) const {
    const Ledger& ledger = sources_.broker.ledger();
    const auto& pending = ledger.pending();
    out.gauge("parley_asks_pending", "Asks that wait for an answer.", pending.size());
    double oldest = 0;
    if (!pending.empty())
        oldest = seconds(sources_.clock.wall() - pending.begin()->second->created_at);
    out.gauge("parley_asks_oldest_pending_seconds",
              "How long the oldest of them has waited; 0 without any.", oldest);
    out.gauge("parley_sessions_live", "Sessions that have not ended.", ledger.sessions().size());
    out.begin("parley_asks_opened_total", "counter", "Asks opened since the start.");
    for (const auto& [door, count] : sources_.broker.opened_by_door())
        out.add("parley_asks_opened_total", fmt::format("door=\"{}\"", door), count);
    out.begin("parley_asks_settled_total", "counter", "Asks settled since the start.");
    for (const auto& [labels, count] : settled_) {
        out.add("parley_asks_settled_total",
                fmt::format("outcome=\"{}\",door=\"{}\"", labels.first, labels.second), count);
    }
    out.histogram("parley_ask_wait_seconds", "From an ask to its settlement.", waiting_);
}

void Metrics::write_store(MetricsText& out) const {
    const StoreStats& store = sources_.broker.store_stats();
    out.gauge("parley_ready", "1 if asks and answers can be stored.",
              sources_.broker.is_ready() ? 1 : 0);
    out.gauge("parley_store_bytes", "Size of the store's file; 0 without one.", store.size.bytes);
    out.gauge("parley_store_log_bytes", "Size of its write-ahead log.", store.size.log_bytes);
    out.counter("parley_store_commits_total", "Transactions.", store.commits);
    out.counter("parley_store_changes_total", "Changes in them.", store.changes);
    out.counter("parley_store_failures_total", "Failed transactions.", store.failures);
    out.histogram("parley_store_commit_seconds",
                  "From the submission of a transaction until it is durable.", store.commit_times);
    out.gauge("parley_store_commit_last_seconds", "The last transaction.",
              seconds(store.commit_time_last));
}

void Metrics::write_requests(MetricsText& out) const {
    const net::ServerCounts& server = server_->counts();
    out.gauge("parley_subscribers", "Readers of events.", sources_.broker.subscriber_count());
    out.counter("parley_slow_subscribers_cut_total",
                "Streams cut because their client did not read.", server.cut_slow_total);
    out.gauge("parley_connections", "Open connections.", server.connections);
    out.counter("parley_requests_total", "Requests.", server.requests_total);
    out.counter("parley_login_failures_total", "Requests with a wrong token.",
                sources_.access.failed_logins());
    out.begin("parley_responses_total", "counter", "Responses by class of status.");
    for (const auto& [hundred, count] : responses_)
        out.add("parley_responses_total", fmt::format("class=\"{}xx\"", hundred), count);
    out.begin("parley_requests_refused_total", "counter", "Requests refused, by reason.");
    for (const auto& [reason, count] : refused_)
        out.add("parley_requests_refused_total", fmt::format("reason=\"{}\"", reason), count);
    out.histogram("parley_request_seconds", "Requests that did not wait for a person.", handling_);
}

void Metrics::write_process(MetricsText& out) const {
    const net::ProcessStats process = net::read_process_stats();
    out.gauge("process_resident_memory_bytes", "Resident memory.", process.resident_bytes);
    out.gauge("process_open_fds", "Open file descriptors.", process.open_descriptors);
    out.gauge("process_max_fds", "Most file descriptors that may be open.",
              process.descriptors_max);
    out.counter("process_cpu_seconds_total", "Processor time, user and system.",
                process.cpu_seconds);
    out.gauge("process_start_time_seconds", "When the process began, since 1970.",
              seconds_since_epoch(started_at_));
}

}  // namespace parley
