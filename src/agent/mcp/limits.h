// SPDX-License-Identifier: Apache-2.0
// The bounds of the MCP server that are nobody else's.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

// No person reads a form and declines it sooner: what does is a program.
inline constexpr auto kMcpFormRead = std::chrono::seconds(1);
// Forms that were taken back and may still come in filled, of one client.
inline constexpr std::size_t kMcpRevokedForms = 64;

}  // namespace parley::limits
