// SPDX-License-Identifier: Apache-2.0
// Inside core: what a tool's input says about what the tool would do, for the tools that agents
// have by these names. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"

namespace parley::permission {

enum class Act : std::uint8_t { run, edit, write, read, plan, use };

struct Shape {
    Act act = Act::use;
    std::string summary;                   // one line of plain text
    std::optional<std::string> diff = {};  // unified
    std::optional<std::string> plan = {};
    // Members of the input that the diff or the plan shows whole.
    std::vector<std::string_view> shown = {};
};

// `plan` is what the asker gave beside the input.
Shape shape_of(std::string_view tool, const json::Value& input,
               const std::optional<std::string>& plan = {});

}  // namespace parley::permission
