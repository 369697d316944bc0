// SPDX-License-Identifier: Apache-2.0
// The updates of an agent's session as the items of a session's stream: texts as they grow, tool
// calls and what came out of them, plans as lists. What is not known passes unheard. A fold over
// the updates, without I/O.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dialect/acp/known_calls.h"
#include "parley/event.h"
#include "text/json.h"

namespace parley::acp {

// Whether the update is of a turn, and not of the session as it stands.
bool is_of_turn(const json::Value& update);

class StreamReader {
public:
    // `prefix` tells the parts of this run from those of others.
    explicit StreamReader(std::string prefix) : prefix_(std::move(prefix)) {}

    std::vector<StreamItem> read(const json::Value& update);
    // The turn is over: what was left open ends.
    std::vector<StreamItem> end_turn();
    // A call that the agent wants permitted. Gives the call with all that was told of it so far.
    json::Value read_wanted(const json::Value& call, std::vector<StreamItem>& items);
    // What a session tells again when it is loaded is known from then on, and shown no more.
    void recall(const json::Value& update);
    // The agent's words since the turn began.
    const std::string& said() const { return said_; }

private:
    void read_text(const json::Value& update, std::vector<StreamItem>& items);
    void read_call(const json::Value& update, std::vector<StreamItem>& items);
    void read_plan(const json::Value& update, std::vector<StreamItem>& items);
    void end_text(std::vector<StreamItem>& items);
    static void show_call(const std::string& id, KnownCalls::Call& call,
                          std::vector<StreamItem>& items);
    std::string next_id();

    std::string prefix_;
    std::uint64_t parts_ = 0;
    std::string text_;  // the id of the text that grows; empty: none does
    std::string said_;
    std::string plan_;
    KnownCalls calls_;
};

}  // namespace parley::acp
