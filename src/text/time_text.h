// SPDX-License-Identifier: Apache-2.0
// Times and durations as text: RFC 3339 in UTC for wires, "10m" for command lines, "3 min" for
// people.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/values.h"

namespace parley {

// "2026-11-15T14:03:22.123Z", always with milliseconds. What has no year of four digits is written
// as the nearest time that has one.
std::string format_rfc3339(Instant at);
// The same for those who write many.
using Rfc3339 = std::array<char, 24>;
Rfc3339 rfc3339(Instant at);
// Any RFC 3339 time, any offset, 'T' or space, fraction truncated to milliseconds.
[[nodiscard]] Result<Instant> parse_rfc3339(std::string_view text);

// "90", "90s", "10m", "1h30m", "2d", "1500ms"; a bare number is seconds. Zero, negative
// and more than limits::kTimeoutMax are refused.
[[nodiscard]] Result<Millis> parse_duration(std::string_view text);
// "12 s", "3 min", "2 h 5 min", "4 d": two units at most, rounded down.
std::string format_duration(Millis duration);

}  // namespace parley
