// SPDX-License-Identifier: Apache-2.0
// The native door: /v1 as our own commands, the page and any program use it. Each handler reads its
// request with the dialect, calls the broker, and writes what came of it; nothing is decided here.
// Belongs to the loop's thread; the broker must outlive it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/executor.h"
#include "broker/broker.h"
#include "broker/store_keeper.h"
#include "door/access.h"
#include "door/alarms.h"
#include "door/native/known_names.h"
#include "door/native/native_stream.h"
#include "net/router.h"

namespace parley {

class NativeDoor {
public:
    struct Wiring {
        LoopBroker& broker;
        Executor& home;
        const Clock& clock;
        const Access& access;
        StoreKeeper* keeper = nullptr;  // none: nobody keeps house through this door
    };

    explicit NativeDoor(Wiring wiring)
        : wiring_(wiring), alarms_(std::make_shared<Alarms>(wiring.home, wiring.clock)) {}

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

    // Requests that wait for an ask to be settled.
    std::size_t held_requests() const { return alarms_->size(); }

private:
    // One file each.
    void add_ask_routes(net::Router& router);      // ask_routes.cc
    void add_settle_routes(net::Router& router);   // settle_routes.cc
    void add_desk_routes(net::Router& router);     // desk_routes.cc: drafts and snoozes
    void add_event_routes(net::Router& router);    // event_routes.cc
    void add_session_routes(net::Router& router);  // session_routes.cc
    void add_self_routes(net::Router& router);     // self_routes.cc: who calls
    void add_token_routes(net::Router& router);    // token_routes.cc
    void add_store_routes(net::Router& router);    // store_routes.cc: its keeping

    Wiring wiring_;
    std::shared_ptr<Alarms> alarms_;  // of requests that wait
    // Shared with the requests that wait, which may outlive this.
    std::shared_ptr<native::AskTexts> texts_ = std::make_shared<native::AskTexts>();
    std::shared_ptr<KnownNames> names_ = std::make_shared<KnownNames>(wiring_.broker);
    EncodedEvents encoded_{wiring_.broker, *texts_, *names_};
};

}  // namespace parley
