// SPDX-License-Identifier: Apache-2.0
// Lines in styles, put together: under one another, beside one another, in a box, in a window that
// scrolls. Values without I/O. Text that goes in is safe already.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prompt/plain_page.h"
#include "term/grid.h"

namespace parley {

// What we draw with. Every sign differs in shape, not only in colour.
struct Glyphs {
    std::string_view horizontal, vertical, top_left, top_right, bottom_left, bottom_right;
    std::string_view radio_off, radio_on, check_off, check_on;
    std::string_view pointer, tick, missing, up, down, dot, ellipsis, bar, dash, cross;
};
const Glyphs& glyphs_of(Charset charset);

struct Block {
    std::vector<Line> lines = {};
    std::optional<Position> cursor = {};
    // The lines that must stay in sight when there is no room for all.
    std::size_t focus_first = 0;
    std::size_t focus_last = 0;
    // Lines at the top that stay where they are while the rest scrolls.
    std::size_t pinned = 0;

    int height() const { return static_cast<int>(lines.size()); }
    int width() const;
    void add(Line line) { lines.push_back(std::move(line)); }
    void add(std::string text, const TextStyle& style = {});
    void add(Block other);  // under this one; its cursor and its focus, if it has a cursor, win
    void blank() { lines.emplace_back(); }
    // Wrapped to `cells`, `lead` before the first line and as much space before the others.
    void paragraph(std::string_view text, int cells, const TextStyle& style = {},
                   const Line& lead = {});
    void paragraph(const Line& text, int cells, const Line& lead = {});
    // Line by line as it is written: no blank is lost, and what is too long goes on below.
    void verbatim(std::string_view text, int cells, const TextStyle& style = {},
                  const Line& lead = {});
    void focus_from(std::size_t first);
};

// Its lines as text, without styles.
std::string text_of(const Block& block);
// The first `cells` of it.
Line cut_line(const Line& line, int cells, std::string_view ellipsis);

struct Window {
    Block block;
    int above = 0;  // lines that are out of sight
    int below = 0;
};
// At most `height` lines, with the focus in sight.
Window window_on_focus(const Block& block, int height);
// From `offset` on, as far as there is so much.
Window window_at(const Block& block, int height, int offset);

struct BoxTitles {
    std::string top = {};
    std::string top_right = {};
    std::string bottom = {};
};
// `width` counts the border.
Block box(const Block& body, int width, const BoxTitles& titles, const Glyphs& glyphs);
Block beside(const Block& left, const Block& right, int gap);

// On a grid of `columns` and as many rows as the block has, `rows` at most.
Picture to_picture(const Block& block, int columns, int rows);

}  // namespace parley
