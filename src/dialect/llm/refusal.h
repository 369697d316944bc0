// SPDX-License-Identifier: Apache-2.0
// What a model's server says when it does not answer: why, in its own words, whether asking again
// may help, and what a person can do. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"
#include "text/json.h"

namespace parley::llm {

struct Refusal {
    std::string message;      // of the server, on one line
    std::string kind = {};    // its type or code, if it has one
    bool is_passing = false;  // asking again may help
};

// Of an answer that is not 200.
Refusal read_refusal(int status, std::string_view body);
// Of an event inside a stream; `error` is its member of that name.
Refusal read_stream_error(const json::Value& error);

// What a person can do about it; empty where nothing can be named. `key_source` is where the key
// came from, empty if there was none.
std::string fix_for(int status, const Refusal& refusal, std::string_view key_source);

// "Retry-After": seconds, or a date of HTTP.
std::optional<Millis> read_retry_after(std::string_view value, Instant now);

}  // namespace parley::llm
