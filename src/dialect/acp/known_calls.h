// SPDX-License-Identifier: Apache-2.0
// What an agent has told of its tool calls, in whichever pieces: a permission may name a call that
// was told before, and say nothing more of it. Without I/O.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "text/json.h"

namespace parley::acp {

class KnownCalls {
public:
    struct Call {
        json::Value told;
        bool is_shown = false;  // in the session's stream
    };

    // What the update tells is added to what is known. The oldest are forgotten.
    Call& note(const std::string& key, const json::Value& update);
    // All that was told of it; null if nothing was.
    const json::Value& find(const std::string& key) const;
    void forget(const std::string& key);

private:
    std::map<std::string, Call> calls_;
    std::deque<std::string> order_;
};

// An update with what was told before and it does not say itself.
json::Value with_known(const json::Value& update, const json::Value& known);
// What a permission says of a call, with all that was told of it: what the permission leaves empty
// it has not taken back.
json::Value whole_call(const json::Value& wanted, const json::Value& known);

}  // namespace parley::acp
