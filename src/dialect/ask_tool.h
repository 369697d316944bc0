// SPDX-License-Identifier: Apache-2.0
// The tool that lets a model ask a person: its name, what the model is told about it, the schema of
// its input, in the forms in which models are given tools. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/json.h"

namespace parley::ask_tool {

inline constexpr std::string_view kName = "AskUserQuestion";

enum class Format : std::uint8_t {
    anthropic,    // a tool of the Messages API
    openai,       // a function of the Chat Completions API
    mcp,          // an entry of tools/list
    json_schema,  // the input alone
};

std::optional<Format> parse_format(std::string_view name);

// Whether a model may go on while its question waits.
enum class Waiting : std::uint8_t { always, by_choice };

// One JSON document.
std::string definition(Format format, Waiting waiting = Waiting::always);

// What the model is told: when to ask, and how.
std::string_view description();

// The member `questions` of the input's `properties`.
void write_questions_property(json::Writer& out);
// The member `blocking`, for those who have a tool `wait_answer` as well.
void write_blocking_property(json::Writer& out);
// What the model is told about such a tool besides.
std::string_view waiting_description();

}  // namespace parley::ask_tool
