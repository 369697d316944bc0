// SPDX-License-Identifier: Apache-2.0
// The bytes that make a terminal show a picture, given what it shows already: only what differs is
// written. Below the shell's last line (inline), where the picture grows downwards and leaves the
// scrollback alone, or on the alternate screen. Keeps the last picture; does no I/O.
#pragma once

#include <cstdint>
#include <string>

#include "term/grid.h"

namespace parley {

class Painter {
public:
    enum class Place : std::uint8_t { in_line, full_screen };
    enum class Colors : std::uint8_t { none, ansi };

    Painter(Place place, Colors colors) : place_(place), colors_(colors) {}

    // The rows of an inline picture are fewer than the terminal's: else its top scrolls away and
    // cannot be reached any more.
    std::string paint(const Picture& next);

    // Takes an inline picture away; the cursor is where its first cell was.
    std::string erase();
    // What is shown is not known any more: the next picture is painted whole. Of an inline picture
    // the terminal has folded the lines that are now too long, if it is one that does.
    std::string resized(int columns);
    // Others have written to the terminal, or will: an inline picture starts below.
    void forget();

private:
    void move_to(std::string& out, Position to);
    void set_style(std::string& out, const TextStyle& style);
    void write_row(std::string& out, const Picture& next, int row);
    bool is_known(int row) const { return row < shown_.grid.rows(); }

    const Place place_;
    const Colors colors_;
    Picture shown_;
    Position cursor_ = {};  // of the terminal, relative to the picture
    bool is_blank_ = true;  // an inline picture has nothing yet; a screen must be cleared
    TextStyle style_ = {};
};

}  // namespace parley
