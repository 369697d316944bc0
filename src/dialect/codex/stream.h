// SPDX-License-Identifier: Apache-2.0
// What Codex tells of a turn of its own as the items of a session's stream: its words as they grow,
// what it thought as a quotation, plans as lists, calls and what came out of them. What is not
// known passes unheard. A fold over its notifications, without I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dialect/codex/messages.h"
#include "parley/event.h"

namespace parley::codex {

class StreamReader {
public:
    // `prefix` tells the parts of this run from those of others.
    explicit StreamReader(std::string prefix) : prefix_(std::move(prefix)) {}

    std::vector<StreamItem> read(const Notification& news);
    // The turn is over: what was left open ends.
    std::vector<StreamItem> end_turn();
    // The last of its messages in this turn, and the plan that it has proposed.
    const std::string& said() const { return said_; }
    const std::string& proposed() const { return proposed_; }

private:
    using Items = std::vector<StreamItem>;

    void read_delta(const json::Value& params, Items& items);
    void read_completed(const json::Value& item, Items& items);
    void read_words(const json::Value& item, Items& items);
    void read_plan(const json::Value& params, Items& items);
    void show_call(const json::Value& item, Items& items);
    void end_call(const json::Value& item, Items& items);
    void add_text(std::string text, Items& items);
    std::string next_id();

    std::string prefix_;
    std::uint64_t parts_ = 0;
    std::map<std::string, std::string> texts_;  // that grow: their parts' ids, by the items' ids
    std::set<std::string> calls_;               // shown, without an output
    std::string said_;
    std::string proposed_;
    std::string plan_;  // as it was told last
};

// What people are told beside the stream: that it tries again, and what it warns of.
struct Remark {
    std::string text;
    bool is_of_setup = false;  // and not of this session
};
std::optional<Remark> read_remark(const Notification& news);

// How a turn ended.
struct TurnEnd {
    enum class Kind : std::uint8_t { done, stopped, failed };

    Kind kind = Kind::done;
    std::string why = {};  // of a failure
};
TurnEnd read_turn_end(const json::Value& turn);

// Tokens that the thread has used so far.
struct Usage {
    std::int64_t input = 0;
    std::int64_t output = 0;
};
std::optional<Usage> read_usage(const Notification& news);

}  // namespace parley::codex
