// SPDX-License-Identifier: Apache-2.0
// For those who run a broker: /healthz (the process answers), /readyz (the store can be written),
// /metrics (Prometheus text), /v1/server (what it is and where its page is). Belongs to the loop's
// thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "broker/broker.h"
#include "door/access.h"
#include "door/metrics.h"
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
        : wiring_(std::move(wiring)),
          metrics_({.broker = wiring_.broker,
                    .access = wiring_.access,
                    .clock = wiring_.clock,
                    .version = wiring_.version}) {}

    // Once the broker runs.
    void start(const net::HttpServer& server) { metrics_.start(server); }
    void add_routes(net::Router& router);
    void record(const net::AccessRecord& record) { metrics_.record(record); }

private:
    Wiring wiring_;
    Metrics metrics_;
};

}  // namespace parley
