// SPDX-License-Identifier: Apache-2.0
// What the connections of one server share: the router, the limits, the read buffer, the counters,
// the list of connections. Kept alive by them, so that a handle that outlives the server finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/held_bytes.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/router.h"

namespace parley::net {

class Connection;

class ServerCore : public std::enable_shared_from_this<ServerCore> {
public:
    ServerCore(Loop& owner, Router& routes, HttpServerOptions given);

    void add(Connection& connection);
    void remove(Connection& connection);
    // Output of `connection` is sent at the end of this turn of the loop, together with all else
    // that is queued for it until then.
    void flush_later(std::shared_ptr<Connection> connection);
    void report(Trouble::Kind kind, std::string_view detail, const Peer* peer);

    void sweep();
    void begin_drain();
    void cut_where(const std::function<bool(const void* principal)>& is_over);
    void cut_all();
    void refresh_date();

    Loop& loop;
    Router& router;
    ServerLimits limits;
    ServerCounts counts;
    std::shared_ptr<HeldTotal> held;
    std::string date;                 // of the Date field, at most one sweep old
    std::uint64_t first_request = 0;  // random, so that ids differ between runs
    std::uint64_t next_request = 0;
    std::vector<char> read_buffer;
    std::vector<Connection*> connections;
    bool draining = false;
    bool stopped = false;  // the server is gone; no handler may be called any more
    Task on_empty;         // when the last connection has gone

private:
    void flush_dirty();
    void relieve(Mono now);

    UniqueFunction<void(const Trouble&)> on_trouble_;
    std::vector<std::shared_ptr<Connection>> dirty_;
};

}  // namespace parley::net
