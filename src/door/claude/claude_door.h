// SPDX-License-Identifier: Apache-2.0
// Claude Code's hooks of the HTTP kind: POST /hooks/claude with what a hook is told. The request is
// held until the ask that it opens is settled, and answered with the hook's decision; 204 is "no
// opinion". A Claude Code that goes away meanwhile takes its ask with it. Belongs to the loop's
// thread; the broker must outlive it.
//   ?timeout=S  the ask's deadline      ?on_timeout=abstain|deny|empty      ?defer=true
#pragma once

#include "base/ids.h"
#include "broker/broker.h"
#include "net/router.h"

namespace parley {

class ClaudeDoor {
public:
    explicit ClaudeDoor(LoopBroker& broker) : broker_(broker) {}

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

private:
    void take(net::Exchange exchange);

    LoopBroker& broker_;
    RandomBits random_ = system_random();
};

}  // namespace parley
