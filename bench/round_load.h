// SPDX-License-Identifier: Apache-2.0
// Whole rounds against a broker: an asker posts an ask and waits on it, the session's event stream
// tells of it, a responder posts the answer, the asker is released. Each session has a connection
// for each of the three, and begins its next round when the last is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "measure.h"

namespace parley::bench {

// How an asker waits: by the request that asks, or by one after it, as our own commands do.
enum class AskerWaits : std::uint8_t { with_its_ask, after_its_ask };

// Of asker and responder together.
constexpr int requests_in_a_round(AskerWaits waits) {
    return waits == AskerWaits::with_its_ask ? 2 : 3;
}

struct RoundFigures {
    double rounds_per_second = 0;
    double p50_ms = 0;  // of a whole round
    double p99_ms = 0;
    double released_p50_ms = 0;  // from the answer being sent to the asker having it
    double released_p99_ms = 0;
    std::size_t rounds = 0;
};

class RoundLoad {
public:
    RoundLoad(std::uint16_t port, const std::string& token, int sessions, AskerWaits waits)
        : RoundLoad(std::vector{port}, token, sessions, waits) {}
    // Each session's asker is at one of these nodes, its events and its responder at the next.
    RoundLoad(std::vector<std::uint16_t> ports, const std::string& token, int sessions,
              AskerWaits waits);
    ~RoundLoad();
    RoundLoad(const RoundLoad&) = delete;
    RoundLoad& operator=(const RoundLoad&) = delete;

    // With as many rounds at once as there are sessions, or fewer: then sessions take turns.
    RoundFigures run(double seconds, std::size_t at_once = SIZE_MAX);

private:
    enum Part : std::uint8_t { asker, events, responder };
    static constexpr unsigned kParts = 3;

    struct Line {
        int descriptor = -1;
        std::string head = {};  // fields of every request
        std::string input = {};
    };
    struct Session {
        Line lines[kParts] = {};
        std::string ask_request = {};
        BenchClock::time_point asked = {};
        BenchClock::time_point answered = {};
        int missing = 0;  // answers of the asker's and the responder's requests
    };

    void open(Session& session, int number);
    void begin_round(Session& session);
    void turn();
    void take(Session& session, Part part);
    void wait(Session& session, std::string_view ask);
    void answer(Session& session, std::string_view ask);
    void end_request(Session& session, Part part);

    std::vector<std::uint16_t> ports_;
    std::string token_;
    AskerWaits waits_;
    int epoll_ = -1;
    std::vector<Session> sessions_;
    std::deque<Session*> idle_;
    bool is_ending_ = false;
    std::size_t open_rounds_ = 0;
    std::vector<double> round_times_;
    std::vector<double> released_times_;
};

}  // namespace parley::bench
