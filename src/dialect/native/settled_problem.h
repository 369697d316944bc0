// SPDX-License-Identifier: Apache-2.0
// What who comes too late is told: 409, by whom the ask was settled and when, and the ask as it
// stands. Pure.
#pragma once

#include <string>
#include <string_view>

#include "dialect/native/server.h"
#include "parley/values.h"

namespace parley::native {

inline constexpr std::string_view kSettledName = "already-settled";

std::string settled_problem(const Ask& ask, const Shown& shown = {});

}  // namespace parley::native
