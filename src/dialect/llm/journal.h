// SPDX-License-Identifier: Apache-2.0
// A conversation as lines of JSON, one entry each, so that it can be kept as it grows: with whom it
// is held first, and again where that changed. What is written reads back as the same. Pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "dialect/llm/conversation.h"
#include "dialect/llm/request.h"

namespace parley::llm {

using JournalLine = std::variant<ModelProfile, Entry>;

// Without the newline.
std::string write_line(const JournalLine& line);
[[nodiscard]] Result<JournalLine> read_line(std::string_view text);

}  // namespace parley::llm
