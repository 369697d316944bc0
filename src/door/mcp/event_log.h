// SPDX-License-Identifier: Apache-2.0
// One event stream of a legacy client that can be lost and resumed: what was sent is kept, up to a
// bound, and a client that comes back with the last id it saw is given the rest. Losing the stream
// is not the end of what it is about. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_function.h"
#include "bridge/mcp/outlet.h"
#include "net/exchange.h"
#include "net/stream.h"

namespace parley::mcp {

class EventLog : public std::enable_shared_from_this<EventLog> {
public:
    // `primes`: the stream begins with an empty event, so that the client has an id to return with;
    // clients before 2025-11-25 cannot read that.
    EventLog(std::string id, bool primes) : id_(std::move(id)), primes_(primes) {}

    const std::string& id() const { return id_; }
    bool is_finished() const { return is_finished_; }

    // Answers `exchange` with the stream, from after event `after`; what was attached before ends.
    void attach(net::Exchange exchange, std::uint64_t after);

    void add(std::string message);
    // For the moment only: not kept for one who comes back.
    void pass(std::string_view message);
    // The last event.
    void finish(std::string message);
    // Ends the stream without one: its session is over.
    void close();

private:
    struct Kept {
        std::uint64_t number;
        std::string message;
    };

    void send(std::uint64_t number, std::string_view message);

    std::string id_;
    bool primes_;
    std::uint64_t last_ = 0;
    std::deque<Kept> kept_;
    net::Stream live_;
    bool is_finished_ = false;
};

// "stream_7": the stream's id and the number of the event.
struct EventPlace {
    std::string stream;
    std::uint64_t number = 0;
};
std::optional<EventPlace> parse_event_id(std::string_view text);

// The answer to a request of a legacy client over HTTP: one JSON document when it is quick, an
// EventLog when it takes long.
class LegacyOutlet final : public Outlet {
public:
    // Names a new log for the session to keep.
    using OpenLog = UniqueFunction<std::shared_ptr<EventLog>()>;

    LegacyOutlet(net::Exchange exchange, OpenLog open_log)
        : exchange_(std::move(exchange)), open_log_(std::move(open_log)) {}

    void hold() override;
    void send(std::string message) override;
    void send_passing(std::string message) override;
    void finish(std::string message, int code) override;

private:
    std::optional<net::Exchange> exchange_;  // until it is answered
    OpenLog open_log_;
    std::shared_ptr<EventLog> log_;
};

}  // namespace parley::mcp
