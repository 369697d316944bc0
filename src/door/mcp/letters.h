// SPDX-License-Identifier: Apache-2.0
// What the nodes on one store tell each other of MCP conversations, where a client's next request
// may reach any of them: an answer or a cancellation that came to a node which does not wait for
// it, that a client came back for an ask, that a conversation has ended. Marks of the store
// (broker/mark_keys.h). Lives on the loop's thread; the broker must outlive it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "broker/broker.h"

namespace parley::mcp {

class Letters {
public:
    // Conversations are named by a hash of their ids.
    struct Reader {
        // Whether it was of use here.
        std::function<bool(const std::string& conversation, const std::string& message)> take;
        std::function<void(AskId ask)> round_came;
        std::function<void(const std::string& conversation)> ended;
    };

    Letters(LoopBroker& broker, const Clock& clock) : broker_(broker), clock_(clock) {}

    // Once; the reader is called from then on.
    void read_with(Reader reader);

    // Done once it is sure to arrive, if anybody waits for it.
    void send(const std::string& conversation, std::string message, Done<void> done);
    void tell_round(AskId ask);
    // Of very many that have ended the first ones are forgotten.
    void end(const std::string& conversation, Done<void> done);
    bool has_ended(const std::string& conversation) const;

private:
    LoopBroker& broker_;
    const Clock& clock_;
};

std::string conversation_name(std::string_view id);

}  // namespace parley::mcp
