// SPDX-License-Identifier: Apache-2.0
// The limits of this folder, by name. What happens at each is tested where it is used.
#pragma once

#include <chrono>
#include <cstddef>

namespace parley::limits {

using namespace std::chrono_literals;

inline constexpr auto kMcpProgressInterval = 3s;  // a client that counts it may end after 10
inline constexpr int kMcpRounds = 9;              // of one call; clients stop after 10
inline constexpr auto kMcpNextRound = 30s;        // a client that does not return has given up
inline constexpr auto kMcpStateLife = std::chrono::hours(24 * 7);
inline constexpr int kMcpFormTries = 5;
inline constexpr std::size_t kMcpCallsMax = 256;      // at work, of one client
inline constexpr std::size_t kMcpClosedForms = 1024;  // remembered, of one client

// No person reads a form and declines it sooner: what does is a program.
inline constexpr auto kMcpFormRead = std::chrono::seconds(1);
// Forms that were taken back and may still come in filled, of one client.
inline constexpr std::size_t kMcpRevokedForms = 64;

}  // namespace parley::limits
