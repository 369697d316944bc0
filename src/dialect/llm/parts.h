// SPDX-License-Identifier: Apache-2.0
// A conversation with a model as parts of a session's stream, under ids that are the same whoever
// makes them, so that what has arrived can be told from what has not. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dialect/llm/conversation.h"
#include "parley/event.h"

namespace parley::llm {

// Of a text: of which response, and as which of its blocks.
std::string text_part_id(std::size_t response, std::size_t block);

// The texts and calls of a response, each whole.
std::vector<StreamPart> parts_of(const Response& said, std::size_t response);
StreamPart part_of(const CallDone& done, const CallBlock* call);

// All of it, in order.
std::vector<StreamPart> parts_of(const ModelConversation& conversation);

}  // namespace parley::llm
