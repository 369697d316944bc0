// SPDX-License-Identifier: Apache-2.0
// The numbers of /metrics. Counts what passes by: the access records of the router, and asks by
// door and outcome from the broker's feed. The rest is read where it is kept, when the text is
// written. Belongs to the loop's thread.
#pragma once

#include <cstdint>
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

class Metrics {
public:
    struct Sources {
        LoopBroker& broker;
        const Access& access;
        const Clock& clock;
        std::string version;
    };

    explicit Metrics(Sources sources)
        : sources_(std::move(sources)), started_at_(sources_.clock.wall()) {}

    // Begins to count the feed; once the broker runs.
    void start(const net::HttpServer& server);
    void record(const net::AccessRecord& record);
    std::string text() const;

private:
    void follow();
    void count_events();
    void count(const Event& event);
    void write_asks(MetricsText& out) const;
    void write_store(MetricsText& out) const;
    void write_requests(MetricsText& out) const;
    void write_process(MetricsText& out) const;

    Sources sources_;
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
