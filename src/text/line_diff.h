// SPDX-License-Identifier: Apache-2.0
// What changes between two texts, line by line. Bounded work; nothing is left out. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace parley {

struct LineChange {
    enum class Kind : std::uint8_t { same, removed, added };

    Kind kind = Kind::same;
    std::string_view line;
};

// The pieces between newlines: one more than there are newlines.
std::vector<std::string_view> split_lines(std::string_view text);

// Every line of both, in order; what is removed stands before what comes in its place. The lines
// belong to the caller's texts. `cells_max` bounds the work, by limits::kLineTableCells where it is
// not said: what would need more is told as removed and added whole.
std::vector<LineChange> compare_lines(const std::vector<std::string_view>& before,
                                      const std::vector<std::string_view>& after);
std::vector<LineChange> compare_lines(const std::vector<std::string_view>& before,
                                      const std::vector<std::string_view>& after,
                                      std::size_t cells_max);

}  // namespace parley
