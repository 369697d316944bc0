// SPDX-License-Identifier: Apache-2.0
// Which entries of a conversation a model is sent when not all of them fit: by an estimate of their
// tokens, the oldest whole turns are left out first. The first message stays, and a call is never
// parted from its result. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "dialect/llm/conversation.h"

namespace parley::llm {

struct Context {
    std::vector<const Entry*> entries;  // of the conversation, in order
    std::size_t left_out = 0;           // responses that are not among them
};

// Tokens of a text, roughly: a quarter of its bytes.
std::size_t estimate_tokens(std::size_t bytes);

// At most `tokens_max` by the estimate, if anything more can be left out: the first message, the
// last one and what came of the last request always stay.
Context trim(const ModelConversation& conversation, std::size_t tokens_max);

}  // namespace parley::llm
