// SPDX-License-Identifier: Apache-2.0
#include "client/program/embedded_home.h"

#include <utility>

#include "client/program/core.h"
#include "client/program/hook.h"
#include "core/door_names.h"
#include "parley/broker.h"

namespace parley::program {

Actor program_actor(std::string principal) {
    return unrestricted_actor(std::move(principal), door_names::kProgram);
}

EmbeddedHome::EmbeddedHome(std::string store, std::string principal)
    : store_(std::move(store)), principal_(std::move(principal)) {}

Result<void> EmbeddedHome::open() {
    TRY(broker, ThreadedBroker::make(store_));
    broker_ = std::move(broker);
    Slot<void> started;
    loop().post([this, hook = Hook<void, Slot<void>*>(&started)]() mutable {
        broker_->start(std::move(hook));
        link_ = std::make_unique<LocalLink>(
            LocalLink::Wiring{loop(), broker_->clock(), broker_->broker()},
            program_actor(principal_));
    });
    auto outcome = started.take();
    if (!outcome) close();
    return outcome;
}

void EmbeddedHome::close() {
    Slot<void> stopped;
    loop().post([&] {
        broker_->stop([&] {
            // All who wait are interrupted here, or with the broker, which goes next.
            link_.reset();
            loop().post([&] { stopped.fulfil({}); });
        });
    });
    (void)stopped.take();
    broker_.reset();
}

}  // namespace parley::program

namespace parley {

Result<Broker> Broker::open(BrokerOptions options) {
    TRY(core, program::Core::open(std::make_unique<program::EmbeddedHome>(
                                      std::move(options.store), std::move(options.principal)),
                                  {.resume = std::move(options.resume),
                                   .on_problem = std::move(options.on_problem)}));
    return Broker(std::move(core));
}

}  // namespace parley
