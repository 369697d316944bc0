// SPDX-License-Identifier: Apache-2.0
// A picture of cells: what a terminal is to show. A value without I/O; text that is put into it is
// expected to be safe (text/safe_text.h) and is clipped at its edges, never wrapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

enum class Color : std::uint8_t { none, red, green, yellow, blue, magenta, cyan };

struct TextStyle {
    Color color = Color::none;
    bool is_bold = false;
    bool is_dim = false;
    bool is_italic = false;
    bool is_underlined = false;
    bool is_reversed = false;

    bool operator==(const TextStyle&) const = default;
};

// One grapheme cluster. The cells after the first of a wide one are empty and have the width 0.
struct Cell {
    std::string text = " ";
    TextStyle style = {};
    int width = 1;

    bool operator==(const Cell&) const = default;
};

struct Position {
    int row = 0;
    int column = 0;

    bool operator==(const Position&) const = default;
};

// A run of text in one style, and a line of them.
struct Span {
    std::string text;
    TextStyle style = {};

    bool operator==(const Span&) const = default;
};
using Line = std::vector<Span>;

int line_width(const Line& line);

class Grid {
public:
    Grid() = default;
    Grid(int columns, int rows);

    int columns() const { return columns_; }
    int rows() const { return rows_; }
    const Cell& at(int row, int column) const { return cells_[index(row, column)]; }

    // Gives the column after what was put.
    int put(Position at, std::string_view text, const TextStyle& style = {});
    int put(Position at, const Line& line);

    // Columns up to the last cell that shows anything.
    int used_columns(int row) const;

private:
    std::size_t index(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
               static_cast<std::size_t>(column);
    }
    void clear_wide_around(int row, int column);

    int columns_ = 0;
    int rows_ = 0;
    std::vector<Cell> cells_;
};

// What is shown at one moment.
struct Picture {
    Grid grid;
    std::optional<Position> cursor = {};  // hidden without one
};

}  // namespace parley
