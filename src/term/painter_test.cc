// SPDX-License-Identifier: Apache-2.0
// What the painter writes is read by a small terminal of our own, which then shows what it shows.
#include "term/painter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/properties_test.h"
#include "term/test_grid.h"
#include "text/utf8.h"
#include "text/width.h"

namespace parley {
namespace {

// As much of a terminal as the painter uses. Rows above `top` have scrolled away.
class SmallTerminal {
public:
    SmallTerminal(int columns, int rows) : columns_(columns), rows_(rows) { grow(rows); }

    void write(std::string_view bytes) {
        while (!bytes.empty()) {
            if (bytes.starts_with("\x1b[")) {
                std::size_t end = 2;
                while (bytes[end] < 0x40) ++end;
                control(bytes.substr(2, end - 2), bytes[end]);
                bytes.remove_prefix(end + 1);
            } else if (bytes.front() == '\r') {
                column_ = 0;
                bytes.remove_prefix(1);
            } else if (bytes.front() == '\n') {
                if (row_ == top_ + rows_ - 1) {
                    ++top_;
                    grow(top_ + rows_);
                }
                ++row_;
                bytes.remove_prefix(1);
            } else {
                const std::size_t size = utf8::cluster_bytes(bytes);
                put(bytes.substr(0, size));
                bytes.remove_prefix(size);
            }
        }
    }

    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (const auto& row : cells_) {
            std::string line;
            for (const std::string& cell : row) line += cell;
            line.erase(line.find_last_not_of(' ') + 1);
            all.push_back(line);
        }
        while (!all.empty() && all.back().empty()) all.pop_back();
        return all;
    }
    Position cursor() const { return {row_, column_}; }
    bool shows_cursor() const { return shows_cursor_; }

private:
    void grow(int rows) {
        while (static_cast<int>(cells_.size()) < rows)
            cells_.emplace_back(static_cast<std::size_t>(columns_), " ");
    }
    std::string& cell(int row, int column) {
        return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }
    void put(std::string_view cluster) {
        const int width = cluster_width(cluster);
        ASSERT_LE(column_ + width, columns_) << "no line is written beyond its end";
        cell(row_, column_) = cluster;
        for (int part = 1; part < width; ++part) cell(row_, column_ + part) = "";
        column_ += width;
    }
    void clear(int row, int from) {
        for (int column = from; column < columns_; ++column) cell(row, column) = " ";
    }
    void control(std::string_view parameters, char final) {
        int number = 0;
        (void)std::from_chars(parameters.data(), parameters.data() + parameters.size(), number);
        const int count = std::max(number, 1);
        switch (final) {
            case 'A':
                ASSERT_GE(row_ - count, top_) << "above the screen nothing can be reached";
                row_ -= count;
                break;
            case 'B': row_ = std::min(row_ + count, top_ + rows_ - 1); break;
            case 'C': column_ = std::min(column_ + count, columns_ - 1); break;
            case 'G': column_ = count - 1; break;
            case 'H': {
                row_ = top_ + count - 1;
                const std::size_t semicolon = parameters.find(';');
                int column = 1;
                if (semicolon != std::string_view::npos)
                    (void)std::from_chars(parameters.data() + semicolon + 1,
                                          parameters.data() + parameters.size(), column);
                column_ = column - 1;
                break;
            }
            case 'K': clear(row_, column_); break;
            case 'J':
                clear(row_, number == 2 ? 0 : column_);
                for (int row = number == 2 ? top_ : row_ + 1; row < top_ + rows_; ++row)
                    clear(row, 0);
                break;
            case 'h': shows_cursor_ = parameters == "?25" || shows_cursor_; break;
            case 'l': shows_cursor_ = parameters != "?25" && shows_cursor_; break;
            case 'm': break;
            default: FAIL() << "an unknown sequence: " << parameters << final;
        }
    }

    const int columns_;
    const int rows_;
    int top_ = 0;
    int row_ = 0;
    int column_ = 0;
    bool shows_cursor_ = true;
    std::vector<std::vector<std::string>> cells_;
};

Picture picture_of(const std::vector<std::string>& lines, int columns,
                   std::optional<Position> cursor = {}) {
    Picture picture{.grid = Grid(columns, static_cast<int>(lines.size())), .cursor = cursor};
    for (std::size_t row = 0; row < lines.size(); ++row)
        picture.grid.put({static_cast<int>(row), 0}, lines[row]);
    return picture;
}

TEST(Painter, AnInlinePictureGrowsBelowTheCursorAndScrolls) {
    SmallTerminal terminal(10, 4);
    terminal.write("one\r\ntwo\r\n");
    Painter painter(Painter::Place::in_line, Painter::Colors::none);
    terminal.write(painter.paint(picture_of({"aaa", "", "ccc"}, 10, Position{2, 1})));
    EXPECT_EQ(terminal.lines(), (std::vector<std::string>{"one", "two", "aaa", "", "ccc"}));
    EXPECT_EQ(terminal.cursor(), (Position{4, 1}));
    terminal.write(painter.paint(picture_of({"aaa", "bbb"}, 10, Position{0, 0})));
    EXPECT_EQ(terminal.lines(), (std::vector<std::string>{"one", "two", "aaa", "bbb"}));
    terminal.write(painter.erase());
    EXPECT_EQ(terminal.lines(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(terminal.cursor(), (Position{2, 0}));
}

TEST(Painter, OnlyWhatDiffersIsWritten) {
    Painter painter(Painter::Place::full_screen, Painter::Colors::ansi);
    const Picture first = picture_of({"hello", "there"}, 10, Position{0, 0});
    EXPECT_FALSE(painter.paint(first).empty());
    EXPECT_EQ(painter.paint(first), "");
    const std::string second = painter.paint(picture_of({"hello", "these"}, 10, Position{0, 0}));
    EXPECT_EQ(second.find("hello"), std::string::npos);
    EXPECT_NE(second.find("\x1b[2;4Hs"), std::string::npos) << second;
}

TEST(Painter, AfterAClusterItSaysWhereToGoOn) {
    Painter painter(Painter::Place::full_screen, Painter::Colors::none);
    EXPECT_NE(painter.paint(picture_of({"👩‍💻x"}, 10)).find("👩‍💻\x1b[3Gx"),
              std::string::npos);
}

TEST(Painter, GoesOnBehindASpacingMark) {
    Painter painter(Painter::Place::full_screen, Painter::Colors::none);
    EXPECT_NE(painter.paint(picture_of({"नाx"}, 10)).find("ना\x1b[3Gx"), std::string::npos);
}

TEST(Painter, WithoutColoursNoneIsWritten) {
    Picture picture{.grid = Grid(4, 1)};
    picture.grid.put({0, 0}, "x", {.color = Color::red, .is_bold = true});
    Painter plain(Painter::Place::full_screen, Painter::Colors::none);
    EXPECT_NE(plain.paint(picture).find("\x1b[0;1mx"), std::string::npos);
    Painter colored(Painter::Place::full_screen, Painter::Colors::ansi);
    EXPECT_NE(colored.paint(picture).find("\x1b[0;1;31mx"), std::string::npos);
}

std::vector<std::string> arbitrary_lines(int rows_max) {
    static const std::vector<std::string> kPieces = {"a",    "b",   " ",  "界", "e\u0301",
                                                     "👍🏽", "xyz", "ना", "கொ"};
    std::vector<std::string> lines;
    const int rows = *rc::gen::inRange(1, rows_max + 1);
    for (int row = 0; row < rows; ++row) {
        std::string line;
        for (int i = *rc::gen::inRange(0, 5); i > 0; --i) line += *rc::gen::elementOf(kPieces);
        lines.push_back(line);
    }
    return lines;
}

// Whatever was shown before, the terminal shows the last picture, and above it what was there.
RC_GTEST_PROP(PainterProperty, TheTerminalShowsTheLastPicture, ()) {
    constexpr int kColumns = 12;
    const bool is_inline = *rc::gen::arbitrary<bool>();
    SmallTerminal terminal(kColumns, 6);
    if (is_inline) terminal.write("before\r\n");
    Painter painter(is_inline ? Painter::Place::in_line : Painter::Place::full_screen,
                    Painter::Colors::ansi);
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
        std::vector<std::string> lines = arbitrary_lines(5);
        const auto cursor = *rc::gen::arbitrary<bool>()
                                ? std::optional(Position{static_cast<int>(lines.size()) - 1, 3})
                                : std::nullopt;
        const Picture next = picture_of(lines, kColumns, cursor);
        terminal.write(painter.paint(next));
        std::vector<std::string> expected;
        if (is_inline) expected.push_back("before");
        std::string text = text_of(next.grid);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            expected.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        while (!expected.empty() && expected.back().empty()) expected.pop_back();
        RC_ASSERT(terminal.lines() == expected);
        RC_ASSERT(terminal.shows_cursor() == cursor.has_value());
        if (cursor) RC_ASSERT(terminal.cursor().column == 3);
    }
}

}  // namespace
}  // namespace parley
