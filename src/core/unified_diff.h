// SPDX-License-Identifier: Apache-2.0
// What an edit would change, as people and programs read it: a unified diff. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/limits.h"

namespace parley {

// The two lines above the hunks of a file.
std::string diff_head(std::string_view path);

// One hunk. Its line numbers count within the text that is replaced: the file itself is not read.
// `cells_max` as in text/line_diff.h.
void append_hunk(std::string& out, std::string_view before, std::string_view after,
                 std::string_view section, std::size_t cells_max = limits::kLineTableCells);

}  // namespace parley
