// SPDX-License-Identifier: Apache-2.0
// The styles that the pictures of prompt and inbox share.
#pragma once

#include "term/grid.h"

namespace parley {

inline constexpr TextStyle kDim = {.is_dim = true};
inline constexpr TextStyle kBold = {.is_bold = true};
inline constexpr TextStyle kGood = {.color = Color::green};
inline constexpr TextStyle kWarning = {.color = Color::yellow, .is_bold = true};

}  // namespace parley
