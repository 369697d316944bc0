// SPDX-License-Identifier: Apache-2.0
#include "term/painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "text/utf8.h"

namespace parley {

namespace {

// Between these the terminal may keep what it shows, so that no half-painted picture is seen.
constexpr std::string_view kBegin = "\x1b[?2026h\x1b[?25l";
constexpr std::string_view kEnd = "\x1b[?2026l";

template <class... Args>
void add(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

}  // namespace

void Painter::move_to(std::string& out, Position to) {
    if (place_ == Place::full_screen) {
        if (cursor_ != to) add(out, "\x1b[{};{}H", to.row + 1, to.column + 1);
        cursor_ = to;
        return;
    }
    if (to.row < cursor_.row) add(out, "\x1b[{}A", cursor_.row - to.row);
    if (to.row > cursor_.row) {
        const int last = std::max(shown_.grid.rows() - 1, 0);
        const int down = std::min(to.row, last) - cursor_.row;
        if (down > 0) add(out, "\x1b[{}B", down);
        // Below what is known only a newline makes room.
        const int made = to.row - std::max(cursor_.row, last);
        for (int i = 0; i < made; ++i) out += "\r\n";
        if (made > 0) cursor_.column = 0;
    }
    if (to.row != cursor_.row || to.column != cursor_.column) {
        // The column after a write to the last cell is not the same in all terminals.
        out += '\r';
        if (to.column > 0) add(out, "\x1b[{}C", to.column);
    }
    cursor_ = to;
}

void Painter::set_style(std::string& out, const TextStyle& style) {
    if (style == style_) return;
    style_ = style;
    out += "\x1b[0";
    if (style.is_bold) out += ";1";
    if (style.is_dim) out += ";2";
    if (style.is_italic) out += ";3";
    if (style.is_underlined) out += ";4";
    if (style.is_reversed) out += ";7";
    if (style.color != Color::none && colors_ == Colors::ansi)
        add(out, ";{}",
            std::array{39, 31, 32, 33, 34, 35, 36}[static_cast<std::size_t>(style.color)]);
    out += 'm';
}

void Painter::write_row(std::string& out, const Picture& next, int row) {
    const Grid& grid = next.grid;
    const bool was_shown = !is_blank_ && is_known(row) && shown_.grid.columns() == grid.columns();
    const int used = grid.used_columns(row);
    const int used_before = !is_blank_ && is_known(row) ? shown_.grid.used_columns(row) : 0;
    int first = 0;
    int last = used;
    if (was_shown) {
        while (first < used && grid.at(row, first) == shown_.grid.at(row, first)) ++first;
        while (last > first && grid.at(row, last - 1) == shown_.grid.at(row, last - 1)) --last;
        if (first == last && used >= used_before) return;
        while (first > 0 && grid.at(row, first).width == 0) --first;
    }
    if (first < last) {
        move_to(out, {row, first});
        for (int column = first; column < last; ++column) {
            const Cell& cell = grid.at(row, column);
            if (cell.width == 0) continue;
            set_style(out, cell.style);
            out += cell.text;
            cursor_.column = column + cell.width;
            // Terminals do not agree on how wide such a one is: say where to go on.
            if (utf8::count_scalars(cell.text) > 1 && cursor_.column < grid.columns())
                add(out, "\x1b[{}G", cursor_.column + 1);
        }
        // Whether the terminal stands in its last column or beyond it is not known.
        if (cursor_.column >= grid.columns()) cursor_.column = -1;
    }
    if (used < used_before) {
        move_to(out, {row, used});
        set_style(out, {});
        out += "\x1b[K";
    }
}

std::string Painter::paint(const Picture& next) {
    std::string body;
    if (place_ == Place::full_screen && is_blank_) {
        set_style(body, {});
        body += "\x1b[H\x1b[2J";
        cursor_ = {};
    }
    for (int row = 0; row < next.grid.rows(); ++row) {
        write_row(body, next, row);
        // A blank row of an inline picture is a row too.
        if (place_ == Place::in_line && !is_known(row)) {
            move_to(body, {row, std::max(cursor_.row == row ? cursor_.column : 0, 0)});
            shown_.grid = Grid(next.grid.columns(), row + 1);
        }
    }
    if (next.grid.rows() < shown_.grid.rows()) {
        move_to(body, {next.grid.rows(), 0});
        set_style(body, {});
        body += "\x1b[J";
    }
    set_style(body, {});
    const bool has_cursor = next.cursor.has_value();
    const bool moves = has_cursor && *next.cursor != cursor_;
    const bool is_same =
        !is_blank_ && body.empty() && !moves && has_cursor == shown_.cursor.has_value();
    if (moves) move_to(body, *next.cursor);
    shown_ = next;
    is_blank_ = false;
    if (is_same) return {};
    std::string out(kBegin);
    out += body;
    if (has_cursor) out += "\x1b[?25h";
    out += kEnd;
    return out;
}

std::string Painter::erase() {
    std::string out;
    if (is_blank_) return out;
    move_to(out, {0, 0});
    // Line by line: some terminals keep a whole screen that is cleared in their scrollback.
    out += "\r\x1b[0m";
    const int rows = shown_.grid.rows();
    for (int row = 0; row < rows; ++row) out += row + 1 < rows ? "\x1b[K\x1b[B" : "\x1b[K";
    if (rows > 1) add(out, "\x1b[{}A", rows - 1);
    out += "\x1b[?25h";
    forget();
    return out;
}

std::string Painter::resized(int columns) {
    std::string out;
    if (place_ == Place::in_line && !is_blank_ && columns > 0) {
        int above = std::max(cursor_.column, 0) / columns;
        for (int row = 0; row < cursor_.row; ++row)
            above += std::max((shown_.grid.used_columns(row) + columns - 1) / columns, 1);
        out += '\r';
        if (above > 0) add(out, "\x1b[{}A", above);
        out += "\x1b[0m\x1b[J";
    }
    forget();
    return out;
}

void Painter::forget() {
    shown_ = {};
    cursor_ = {};
    style_ = {};
    is_blank_ = true;
}

}  // namespace parley
