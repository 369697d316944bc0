// SPDX-License-Identifier: Apache-2.0
// For those who run a broker: /healthz (the process answers), /readyz (the store can be written),
// /metrics (Prometheus text), /v1/server (what it is and where its page is). Counts what passes by:
// the access records of the router, and asks by door and outcome from the broker's feed. Belongs to
// the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/histogram.h"
#include "broker/broker.h"
#include "door/access.h"
#include "door/metrics_text.h"
#include "net/http_server.h"
#include "net/router.h"

namespace parley {

class Operations {
public:
    struct Wiring {
        LoopBroker& broker;
        const Access& access;
        const Clock& clock;
        std::string version;
        std::function<std::string()> page;  // where people open it
        std::string agent = {};             // of the sessions that people begin
    };

    explicit Operations(Wiring wiring)
        : wiring_(std::move(wiring)), started_at_(wiring_.clock.wall()) {}

    // Begins to count the feed; once the broker runs.
    void start(const net::HttpServer& server);
    void add_routes(net::Router& router);
    void record(const net::AccessRecord& record);

private:
    void count_events();
    void count(const Event& event);
    std::string metrics() const;
    void write_asks(MetricsText& out) const;
    void write_store(MetricsText& out) const;
    void write_requests(MetricsText& out) const;
    void write_process(MetricsText& out) const;

    Wiring wiring_;
    Instant started_at_;
    const net::HttpServer* server_ = nullptr;
    Subscription feed_;
    std::vector<Frame> taken_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> settled_;  // outcome, door
    std::map<int, std::uint64_t> responses_;                                // by hundred
    std::map<std::string_view, std::uint64_t> refused_;                     // by reason
    Histogram waiting_;
    Histogram handling_;
};

}  // namespace parley
