// SPDX-License-Identifier: Apache-2.0
#include "app/broker_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/ids.h"
#include "broker/broker.h"
#include "client/local_link.h"
#include "core/door_names.h"
#include "core/settle.h"
#include "store/memory_engine.h"
#include "store/store.h"

namespace parley::app {

namespace {

// Who sits at this terminal, as the system knows them, and as they call themselves.
Actor terminal_actor(const Environment& environment) {
    return {.principal = fmt::format("uid {}", ::getuid()),
            .door = std::string(door_names::kTerminal),
            .name = environment.find("USER")};
}

class OwnBroker final : public BrokerAccess {
public:
    explicit OwnBroker(const AccessOptions& options)
        : store_(std::make_unique<MemoryEngine>(options.clock),
                 {.worker = options.home, .home = options.home, .clock = options.clock}),
          broker_({.home = options.home,
                   .clock = options.clock,
                   .store = store_,
                   .random = system_random()}),
          link_({.home = options.home, .clock = options.clock, .broker = broker_},
                terminal_actor(options.environment), options.profile) {}

    void start(Done<void> done) { broker_.start(std::move(done)); }

    Link& link() override { return link_; }
    bool is_lasting() const override { return false; }

private:
    Store store_;
    LoopBroker broker_;
    LocalLink link_;
};

}  // namespace

void open_own_broker(const AccessOptions& options, AccessDone done) {
    auto broker = std::make_unique<OwnBroker>(options);
    OwnBroker& starting = *broker;
    starting.start(
        [broker = std::move(broker), done = std::move(done)](Result<void> started) mutable {
            if (!started) return done(reject(std::move(started).error()));
            done(std::move(broker));
        });
}

std::string server_address(const GlobalOptions& global, const Environment& environment) {
    if (global.server) return *global.server;
    const auto socket = environment.default_socket();
    return socket ? fmt::format("unix:{}", socket->native()) : std::string("the default socket");
}

void open_server(const AccessOptions& options, const GlobalOptions& global, AccessDone done) {
    Error error{.code = ErrorCode::unavailable,
                .message = fmt::format("cannot reach a broker at {}; start one with 'parley serve'",
                                       server_address(global, options.environment))};
    options.home.post([done = std::move(done), error = std::move(error)]() mutable {
        done(reject(std::move(error)));
    });
}

}  // namespace parley::app
