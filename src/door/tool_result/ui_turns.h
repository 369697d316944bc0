// SPDX-License-Identifier: Apache-2.0
// Which sessions are in a turn, and where it began, so that a page that comes back is told the
// message that it was reading from its start. A fold over the broker's feed, in memory: after a
// restart a turn under way is known by what is pending. Belongs to the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "broker/broker.h"

namespace parley {

class UiTurns {
public:
    struct Turn {
        std::optional<Cursor> after = {};  // its events come after this; absent: began unseen
        std::string message_id = {};       // of the assistant's message
        std::optional<MessageId> by = {};  // what the person said to begin it
        bool is_over = false;              // but asks of it still wait
    };

    explicit UiTurns(LoopBroker& broker) : broker_(broker) {}
    // Once the broker runs.
    void start();

    // Null when the session rests.
    const Turn* find(SessionId session) const;

private:
    void fold();
    void fold(const Frame& frame);
    void fold(const Event& event);
    void begin(SessionId session, Turn turn);

    LoopBroker& broker_;
    Subscription feed_;
    std::vector<Frame> taken_;
    Cursor seen_;
    std::unordered_map<SessionId, Turn> turns_;
};

// The event ends the turn of its session, once nothing is pending in it.
bool ends_turn(const Event& event);

}  // namespace parley
