// SPDX-License-Identifier: Apache-2.0
// How many terminal cells text takes, and cutting and wrapping by cells. Works on grapheme
// clusters; text is expected to be safe (safe_text.h) and valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

// Cells of one grapheme cluster: 0, 1 or 2, and one more for each spacing mark in it. A tab counts
// as one space (see expand_tabs).
int cluster_width(std::string_view cluster);
int text_width(std::string_view text);

// The longest prefix of at most `cells`, ending with `ellipsis` if anything was cut and the
// ellipsis itself has room.
std::string cut_to_width(std::string_view text, int cells, std::string_view ellipsis = "…");
// The same by characters (grapheme clusters) instead of cells: how headers are cut for display.
std::string cut_to_clusters(std::string_view text, std::size_t clusters,
                            std::string_view ellipsis = "…");

// Lines of at most `cells` (at least 1), broken at spaces or beside ideographs where possible, else
// between clusters; each newline starts a new line, so that there is always one line at least;
// nothing is lost but the spaces at a break. A cluster wider than `cells` stands alone on its line.
std::vector<std::string> wrap(std::string_view text, int cells);

// Each tab as the spaces up to the next multiple of `cells_per_stop`.
std::string expand_tabs(std::string_view text, int cells_per_stop);

}  // namespace parley
