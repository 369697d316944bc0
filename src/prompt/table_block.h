// SPDX-License-Identifier: Apache-2.0
// A table for a terminal: columns as wide as what is in them, a line under the head, and texts that
// are too long for their column on several lines. Pure; text that goes in is safe already.
#pragma once

#include <vector>

#include "prompt/block.h"

namespace parley {

struct TableRow {
    std::vector<Line> cells = {};
    bool is_head = false;
};

// At most `cells` wide, except where there are so many columns that none of them has room: then
// each row is a paragraph.
Block table_block(const std::vector<TableRow>& rows, int cells, const Glyphs& glyphs);

}  // namespace parley
