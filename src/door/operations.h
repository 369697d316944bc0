// SPDX-License-Identifier: Apache-2.0
// For those who run a broker: /healthz (the process answers), /readyz (the store can be written),
// /metrics (Prometheus text), /v1/server (what it is and where its page is). Counts what passes by:
// the access records of the router, and asks by door and outcome from the broker's feed. Belongs to
// the loop's thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "broker/broker.h"
#include "door/access.h"
#include "net/http_server.h"
#include "net/router.h"

namespace parley {

// Counts of values below growing bounds, as Prometheus wants them.
class Histogram {
public:
    void add(double seconds);
    void write(std::string& out, std::string_view name, std::string_view help) const;

private:
    static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005,  0.01,   0.025,
                                           0.05,   0.1,   0.25,   0.5,    1.0,    5.0,
                                           30.0,   120.0, 600.0,  3600.0, 86400.0};
    std::array<std::uint64_t, kBounds.size()> counts_{};
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

class Operations {
public:
    struct Wiring {
        LoopBroker& broker;
        const Access& access;
        const Clock& clock;
        std::string version;
        std::function<std::string()> page;  // where people open it
    };

    explicit Operations(Wiring wiring) : wiring_(std::move(wiring)) {}

    // Begins to count the feed; once the broker runs.
    void start(const net::HttpServer& server);
    void add_routes(net::Router& router);
    void record(const net::AccessRecord& record);

private:
    void count_events();
    std::string metrics() const;

    Wiring wiring_;
    const net::HttpServer* server_ = nullptr;
    Subscription feed_;
    std::vector<Frame> taken_;
    std::map<std::pair<std::string, std::string>, std::uint64_t> settled_;  // outcome, door
    std::map<int, std::uint64_t> responses_;                                // by hundred
    Histogram waiting_;
    Histogram handling_;
};

}  // namespace parley
