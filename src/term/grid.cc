// SPDX-License-Identifier: Apache-2.0
#include "term/grid.h"

#include <algorithm>

#include "base/assert.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {

int line_width(const Line& line) {
    int cells = 0;
    for (const Span& span : line) cells += text_width(span.text);
    return cells;
}

Grid::Grid(int columns, int rows) : columns_(columns), rows_(rows) {
    ASSERT(columns >= 0 && rows >= 0);
    cells_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
}

// A part of a wide character cannot stay when another part is overwritten.
void Grid::clear_wide_around(int row, int column) {
    int first = column;
    while (first > 0 && at(row, first).width == 0) --first;
    const int end = std::min(first + at(row, first).width, columns_);
    for (int part = first; part < end; ++part)
        if (part != column) cells_[index(row, part)] = Cell{};
}

int Grid::put(Position at, std::string_view text, const TextStyle& style) {
    int column = at.column;
    if (at.row < 0 || at.row >= rows_) return column + text_width(text);
    while (!text.empty()) {
        const std::size_t bytes = utf8::cluster_bytes(text);
        const std::string_view cluster = text.substr(0, bytes);
        text.remove_prefix(bytes);
        const int width = cluster_width(cluster);
        if (width == 0) continue;
        if (column >= 0 && column + width <= columns_) {
            for (int part = 0; part < width; ++part) clear_wide_around(at.row, column + part);
            cells_[index(at.row, column)] = {std::string(cluster), style, width};
            for (int part = 1; part < width; ++part)
                cells_[index(at.row, column + part)] = {"", style, 0};
        }
        column += width;
    }
    return column;
}

int Grid::put(Position at, const Line& line) {
    for (const Span& span : line) at.column = put(at, span.text, span.style);
    return at.column;
}

int Grid::used_columns(int row) const {
    int used = columns_;
    const Cell blank;
    while (used > 0 && at(row, used - 1) == blank) --used;
    return used;
}

}  // namespace parley
