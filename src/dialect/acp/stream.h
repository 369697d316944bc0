// SPDX-License-Identifier: Apache-2.0
// The updates of an agent's session as the items of a session's stream: texts as they grow, tool
// calls and what came out of them, plans as lists. What is not known passes unheard. A fold over
// the updates, without I/O.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "parley/event.h"
#include "text/json.h"

namespace parley::acp {

class StreamReader {
public:
    // `prefix` tells the parts of this run from those of others.
    explicit StreamReader(std::string prefix) : prefix_(std::move(prefix)) {}

    std::vector<StreamItem> read(const json::Value& update);
    // The turn is over: what was left open ends.
    std::vector<StreamItem> end_turn();
    // All that was told of a call so far; null if nothing was.
    const json::Value& known_call(const std::string& id) const;
    // The agent's words since the turn began.
    const std::string& said() const { return said_; }

private:
    struct Call {
        json::Value told;
        bool is_shown = false;
    };

    void read_text(const json::Value& update, std::vector<StreamItem>& items);
    void read_call(const json::Value& update, std::vector<StreamItem>& items);
    void read_plan(const json::Value& update, std::vector<StreamItem>& items);
    void end_text(std::vector<StreamItem>& items);
    void show_call(const std::string& id, Call& call, std::vector<StreamItem>& items);
    std::string next_id();

    std::string prefix_;
    std::uint64_t parts_ = 0;
    std::string text_;  // the id of the text that grows; empty: none does
    std::string said_;
    std::string plan_;
    std::map<std::string, Call> calls_;
    std::deque<std::string> calls_order_;
};

}  // namespace parley::acp
