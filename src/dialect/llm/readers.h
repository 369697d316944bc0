// SPDX-License-Identifier: Apache-2.0
// What the readers of the two APIs share. Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "dialect/llm/response_reader.h"
#include "text/json.h"

namespace parley::llm {

std::unique_ptr<ResponseReader> make_anthropic_reader();
std::unique_ptr<ResponseReader> make_openai_reader();

// An event's document; `bytes` is how much of the response there is with it.
[[nodiscard]] Result<json::Value> read_event(std::string_view data, std::size_t bytes);
// What the server says in the middle of its stream.
[[nodiscard]] Rejection stream_failure(const json::Value& error);

std::optional<std::int64_t> whole_number(const json::Value& value);
// Takes the member over if it is a count.
void set_count(std::int64_t& count, const json::Value& usage, std::string_view name);

}  // namespace parley::llm
