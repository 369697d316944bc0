// SPDX-License-Identifier: Apache-2.0
// Options that are times, as they are typed; `option` names one in a complaint.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace parley::app {

// The deadline of asks that bring none; "0" is none at all.
[[nodiscard]] Result<std::optional<Millis>> read_timeout(std::string_view option,
                                                         const std::optional<std::string>& text,
                                                         std::optional<Millis> absent);

// Of MCP clients: how long a call is held; zero is as long as it takes, nullopt was not given.
[[nodiscard]] Result<std::optional<Millis>> read_mcp_wait(std::string_view option,
                                                          const std::optional<std::string>& text);
// Of MCP clients: the deadline of asks that bring none; nullopt is none.
[[nodiscard]] Result<std::optional<Millis>> read_mcp_timeout(
    std::string_view option, const std::optional<std::string>& text);

}  // namespace parley::app
