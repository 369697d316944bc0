// SPDX-License-Identifier: Apache-2.0
// The same request over and over on some connections, each sending its next when the answer to the
// last is complete. Every answer has the same size, which the first one tells.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bare_server.h"
#include "measure.h"

namespace parley::bench {

struct Rate {
    double requests_per_second = 0;
    double p99_ms = 0;
    // Of the server, for one request: steadier than the rate on a busy machine.
    double cpu_us = 1e9;
};

class RequestLoad {
public:
    RequestLoad(Target target, std::string request, int connections);
    ~RequestLoad();
    RequestLoad(const RequestLoad&) = delete;
    RequestLoad& operator=(const RequestLoad&) = delete;

    Rate run(double seconds);

private:
    struct Line {
        int descriptor = -1;
        std::size_t missing = 0;
        BenchClock::time_point sent = {};
    };

    std::size_t learn_answer_bytes() const;
    void send(Line& line) const;
    void turn(std::vector<double>& waits);

    Target target_;
    std::string request_;
    int epoll_ = -1;
    std::vector<Line> lines_;
    std::size_t answer_bytes_ = 0;
};

}  // namespace parley::bench
