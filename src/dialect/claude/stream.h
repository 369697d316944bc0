// SPDX-License-Identifier: Apache-2.0
// The conversation of a driven Claude Code as the items of a session's stream: texts and tool
// inputs as they grow, whole parts, results of tools. Tools that nobody knows pass like any other.
// A fold over the CLI's messages, without I/O.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parley/event.h"
#include "text/json.h"

namespace parley::claude {

class StreamReader {
public:
    // A message of type "stream_event", "assistant" or "user".
    std::vector<StreamItem> read(const json::Value& message);

    // What a person decided about a call. It is recorded as the call's output, whatever the CLI
    // itself makes of it.
    void keep_answer(std::string call_id, std::string output);

private:
    // A block of the message that is being streamed.
    struct Block {
        bool is_text = false;
        std::string id;    // of the part, or of the call
        std::string tool;  // of a call
    };
    // One for the main conversation and one for each sub-agent that speaks now.
    struct Speaker {
        std::string message;
        std::map<std::int64_t, Block> blocks;
    };

    void read_event(Speaker& speaker, bool is_main, const json::Value& event,
                    std::vector<StreamItem>& items);
    void start_block(Speaker& speaker, bool is_main, const json::Value& event,
                     std::vector<StreamItem>& items);
    void grow_block(Speaker& speaker, const json::Value& event, std::vector<StreamItem>& items);
    void end_block(Speaker& speaker, const json::Value& event, std::vector<StreamItem>& items);
    void read_whole(bool is_main, const json::Value& message, std::vector<StreamItem>& items);
    void read_results(const json::Value& message, std::vector<StreamItem>& items);
    void note_tool(const std::string& call_id, const std::string& tool);
    bool was_streamed(const std::string& message) const { return streamed_.contains(message); }

    std::map<std::string, Speaker> speakers_;  // by the call that started a sub-agent; "" is main
    std::set<std::string> streamed_;           // messages of which events came
    std::deque<std::string> streamed_order_;
    std::map<std::string, std::string> tools_;  // of calls without a result yet
    std::map<std::string, std::string> answers_;
};

}  // namespace parley::claude
