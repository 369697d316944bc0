// SPDX-License-Identifier: Apache-2.0
// The door of chat pages on the AI SDK: POST /api/chat/tool-result takes what a person clicked on a
// question card, POST /api/chat and GET /api/chat/{id}/stream give the session as a UI message
// stream. Belongs to the loop's thread; the broker must outlive it.
#pragma once

#include "base/clock.h"
#include "broker/broker.h"
#include "dialect/ai_sdk/ui_messages.h"
#include "door/tool_result/ui_turns.h"
#include "net/router.h"

namespace parley {

class ToolResultDoor {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
    };

    // Once the broker runs.
    explicit ToolResultDoor(Wiring wiring) : wiring_(wiring), turns_(wiring.broker) {
        turns_.start();
    }

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

private:
    void take_result(net::Exchange exchange);
    void take_known(ai_sdk::ToolAnswers body, net::Exchange exchange);
    void resume(net::Exchange exchange);
    static net::Co<void> chat(ToolResultDoor* door, net::Exchange exchange);
    static net::Co<Result<void>> settle_outputs(ToolResultDoor* door, SessionId session,
                                                std::vector<ai_sdk::ToolOutput> outputs,
                                                Actor actor);

    Wiring wiring_;
    UiTurns turns_;
};

}  // namespace parley
