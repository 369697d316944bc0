// SPDX-License-Identifier: Apache-2.0
// The events of one OpenCode session as the items of a session's stream: texts and thoughts as they
// grow, tool calls and what came out of them with its diff, its list of things to do as a plan.
// What is not known passes unheard. A fold over the events, without I/O.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/opencode/server_events.h"
#include "parley/event.h"

namespace parley::opencode {

class ServerStream {
public:
    // Of that session; events of others change nothing.
    explicit ServerStream(std::string session = {}) : session_(std::move(session)) {}

    std::vector<StreamItem> read(const ServerEvent& event);
    // The turn is over: what was left open ends.
    std::vector<StreamItem> end_turn();
    // The agent's last words since the turn began.
    const std::string& said() const { return said_; }
    // What was said to the agent by somebody, in this event; "" if nothing was.
    std::string told(const ServerEvent& event) const;

private:
    struct Text {
        std::string sent;
        bool is_thought = false;
    };

    void note_message(const json::Value& info);
    bool is_from_person(const json::Value& part) const;
    void read_part(const json::Value& part, std::vector<StreamItem>& items);
    void read_text(const json::Value& part, bool is_thought, std::vector<StreamItem>& items);
    void end_text(const std::string& id, const std::string& whole, bool is_thought,
                  std::vector<StreamItem>& items);
    void read_delta(const json::Value& properties, std::vector<StreamItem>& items);
    void read_call(const json::Value& part, std::vector<StreamItem>& items);
    void read_plan(const json::Value& properties, std::vector<StreamItem>& items);
    static void grow(const std::string& id, Text& text, std::string_view more,
                     std::vector<StreamItem>& items);

    std::string session_;
    std::deque<std::string> persons_;    // messages that are not the agent's, the newest last
    std::map<std::string, Text> texts_;  // that grow, by their parts' ids
    std::map<std::string, bool> calls_;  // without an output: whether the input is shown
    std::string said_;
    std::string plan_;
    std::uint64_t plans_ = 0;
};

}  // namespace parley::opencode
