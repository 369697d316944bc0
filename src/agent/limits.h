// SPDX-License-Identifier: Apache-2.0
// Limits of the agents alone; those of all layers are in base/limits.h.
#pragma once

#include <cstddef>

namespace parley::limits {

// Text of an agent's stream in one request: all of it escaped must fit into kBodyBytes.
inline constexpr std::size_t kPushedBytes = 512UL * 1024;

// How much of a session's log an agent that comes back reads for what was answered meanwhile.
inline constexpr std::size_t kLookBackEvents = 10'000;

// Answers that one notice tells of: all of it must fit into kNoticeBytes.
inline constexpr std::size_t kLateAnswersTold = 32;

}  // namespace parley::limits
