// SPDX-License-Identifier: Apache-2.0
// The tools that a model behind an API is given: the ask tool, and wait_answer for what was asked
// without waiting. Their calls as wishes, and what the calls give back. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dialect/llm/conversation.h"
#include "dialect/llm/request.h"
#include "parley/error.h"
#include "parley/values.h"

namespace parley::llm {

// A JSON array.
const std::string& tool_definitions(Api api);

struct AskWish {
    AskSpec spec;
    bool is_blocking = true;
    std::vector<Fault> warnings = {};  // what was given and is not known, and so left out
};
struct WaitWish {
    AskId ask;
};
// The call cannot be made; the model is told why, with every fault.
struct BadCall {
    std::string why;
};
using Wish = std::variant<AskWish, WaitWish, BadCall>;

Wish read_call(const CallBlock& call);
// What a call gives back in whose input the reply was cut.
CallDone cut_result(const CallBlock& call);

// What a call gives back. A settled ask is told in core's words; one that waits as a document with
// its status and id.
std::string result_text(const Ask& ask, const std::vector<Fault>& warnings = {});

}  // namespace parley::llm
