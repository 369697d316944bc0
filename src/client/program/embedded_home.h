// SPDX-License-Identifier: Apache-2.0
// Behind parley::Broker: a broker of the program's own, with threads, clock and store for it alone.
#pragma once

#include <memory>
#include <string>

#include "broker/threaded_broker.h"
#include "client/local_link.h"
#include "client/program/home.h"

namespace parley::program {

// Who the program is in the records.
Actor program_actor(std::string principal);

class EmbeddedHome final : public Home {
public:
    EmbeddedHome(std::string store, std::string principal);

    [[nodiscard]] Result<void> open() override;
    void close() override;
    Executor& loop() override { return broker_->loop(); }
    Link& link() override { return *link_; }

private:
    const std::string store_;
    const std::string principal_;
    std::unique_ptr<ThreadedBroker> broker_;
    std::unique_ptr<LocalLink> link_;  // of the loop's own thread
};

}  // namespace parley::program
