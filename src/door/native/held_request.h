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
#include "dialect/native/ask_texts.h"
#include "door/alarms.h"
#include "door/native/known_names.h"
#include "net/exchange.h"

namespace parley {

class HeldRequest : public std::enable_shared_from_this<HeldRequest> {
public:
    struct Subject {
        AskPtr ask;
        int unsettled_status = 200;  // of the answer when the ask still waits
    };

    struct Wiring {
        LoopBroker& broker;
        std::shared_ptr<Alarms> alarms;
        std::shared_ptr<native::AskTexts> texts;
        std::shared_ptr<KnownNames> names;
    };

    static void hold(net::Exchange exchange, Wiring wiring, Subject subject,
                     std::chrono::seconds time);

    HeldRequest(net::Exchange exchange, Wiring wiring, Subject subject)
        : exchange_(std::move(exchange)),
          wiring_(std::move(wiring)),
          subject_(std::move(subject)) {}

private:
    void start(std::chrono::seconds time);
    void finish(const Result<AskPtr>& ask);

    std::optional<net::Exchange> exchange_;  // until it is answered
    Wiring wiring_;
    Subject subject_;
    Alarms::Key alarm_;
    Wait wait_;
};

}  // namespace parley
