// SPDX-License-Identifier: Apache-2.0
// POST /session/{id}/message: a person speaks, and the answer is what the agent said until its turn
// ended. With nobody there to take the message, the answer says so at once; the message is kept.
// Owned by its own subscription until it is answered. Belongs to the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "dialect/opencode/messages.h"
#include "door/opencode/opencode_door.h"
#include "net/exchange.h"

namespace parley::opencode {

class HeldPrompt : public std::enable_shared_from_this<HeldPrompt> {
public:
    // The session is live.
    static void hold(OpenCodeDoor& door, net::Exchange exchange, SessionId session,
                     std::string text);

    HeldPrompt(OpenCodeDoor& door, net::Exchange exchange, SessionPtr session)
        : door_(door),
          exchange_(std::move(exchange)),
          session_(std::move(session)),
          outline_(door.scene_of(session_.get())) {}

private:
    void start(std::string text);
    void said(const Result<Said>& said, bool has_waiting_agent);
    void take();
    // Whether the turn that the prompt began is over with this.
    bool is_end(const Event& event);
    void finish();
    void give_up(std::string_view reason);

    OpenCodeDoor& door_;
    std::optional<net::Exchange> exchange_;  // until it is answered
    SessionPtr session_;
    MessageOutline outline_;
    Subscription subscription_;
    std::shared_ptr<HeldPrompt> self_;  // until it is answered
    MessageId prompt_;
    bool is_taken_ = false;  // the agent has the prompt
};

}  // namespace parley::opencode
