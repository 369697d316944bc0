// SPDX-License-Identifier: Apache-2.0
// The tRPC door: /trpc as @trpc/client calls it, over HTTP, in batches, as JSON lines, as
// Server-Sent Events and over a WebSocket. Belongs to the loop's thread; the broker and the gate
// must outlive it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/executor.h"
#include "broker/broker.h"
#include "door/access.h"
#include "door/alarms.h"
#include "door/trpc/http_request.h"
#include "door/trpc/procedures.h"
#include "net/router.h"

namespace parley {

class TrpcDoor {
public:
    struct Wiring {
        LoopBroker& broker;
        Access& access;
        Executor& home;
        const Clock& clock;
    };

    explicit TrpcDoor(Wiring wiring, trpc::DoorSettings settings = {})
        : wiring_(wiring),
          procedures_(wiring.broker, settings),
          alarms_(std::make_shared<Alarms>(wiring.home, wiring.clock)) {}

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

private:
    void serve_call(net::Exchange exchange);

    Wiring wiring_;
    trpc::Procedures procedures_;
    std::shared_ptr<Alarms> alarms_;
    trpc::OpenRequests open_;
};

}  // namespace parley
