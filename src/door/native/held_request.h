// SPDX-License-Identifier: Apache-2.0
// A request with `?wait=`: it is answered when its ask is settled, when its time is over, when its
// client is gone or when the server stops, whichever comes first. Owned by the broker's wait.
// Belongs to the loop's thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "broker/broker.h"
#include "door/alarms.h"
#include "net/exchange.h"

namespace parley {

class HeldRequest : public std::enable_shared_from_this<HeldRequest> {
public:
    struct Subject {
        AskPtr ask;
        std::string session = {};    // as the client calls it; empty: by our id
        int unsettled_status = 200;  // of the answer when the ask still waits
    };

    static void hold(net::Exchange exchange, LoopBroker& broker, std::shared_ptr<Alarms> alarms,
                     Subject subject, std::chrono::seconds time);

    HeldRequest(net::Exchange exchange, std::shared_ptr<Alarms> alarms, Subject subject)
        : exchange_(std::move(exchange)),
          alarms_(std::move(alarms)),
          subject_(std::move(subject)) {}

private:
    void start(LoopBroker& broker, std::chrono::seconds time);
    void finish(const Result<AskPtr>& ask);

    std::optional<net::Exchange> exchange_;  // until it is answered
    std::shared_ptr<Alarms> alarms_;
    Subject subject_;
    Alarms::Key alarm_;
    Wait wait_;
};

}  // namespace parley
