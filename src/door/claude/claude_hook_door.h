// SPDX-License-Identifier: Apache-2.0
// Claude Code's hooks of the HTTP kind: POST /hooks/claude with what a hook is told. The request is
// held until the ask that it opens is settled, and answered with the hook's decision; 204, or an
// empty object, is "no opinion". One that is held for long is kept alive by blanks before the
// decision. A Claude Code that goes away meanwhile takes its ask with it. Belongs to the loop's
// thread.
//   ?timeout=S  the ask's deadline      ?on_timeout=abstain|deny|empty      ?defer=true
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/ids.h"
#include "client/link.h"
#include "net/limits.h"
#include "net/loop.h"
#include "net/router.h"

namespace parley {

class ClaudeHookDoor {
public:
    // Who calls, as the gate found out.
    struct Visitor {
        std::unique_ptr<Link> link;  // in the name of the caller
    };
    struct Wiring {
        net::Loop& loop;
        std::function<Visitor(const net::Exchange&)> visitor;
    };

    explicit ClaudeHookDoor(Wiring wiring, Millis heartbeat = limits::kHeartbeatInterval);
    ~ClaudeHookDoor();

    // The routes keep a reference to this.
    void add_routes(net::Router& router, net::RouteOptions route);

private:
    class Request;

    void take(net::Exchange exchange);
    void forget(std::uint64_t number);

    Wiring wiring_;
    Millis heartbeat_;
    RandomBits random_ = system_random();
    std::unordered_map<std::uint64_t, std::unique_ptr<Request>> requests_;
    std::uint64_t next_number_ = 1;
};

}  // namespace parley
