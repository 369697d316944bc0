// SPDX-License-Identifier: Apache-2.0
#include "prompt/block.h"

#include <algorithm>
#include <utility>

#include "text/utf8.h"
#include "text/width.h"

namespace parley {

namespace {

constexpr Glyphs kUtf8 = {.horizontal = "─",
                          .vertical = "│",
                          .top_left = "┌",
                          .top_right = "┐",
                          .bottom_left = "└",
                          .bottom_right = "┘",
                          .radio_off = "○",
                          .radio_on = "●",
                          .check_off = "☐",
                          .check_on = "☑",
                          .pointer = "❯",
                          .tick = "✓",
                          .missing = "!",
                          .up = "↑",
                          .down = "↓",
                          .dot = "·",
                          .ellipsis = "…",
                          .bar = "│",
                          .dash = "–",
                          .cross = "┼"};

constexpr Glyphs kAscii = {.horizontal = "-",
                           .vertical = "|",
                           .top_left = "+",
                           .top_right = "+",
                           .bottom_left = "+",
                           .bottom_right = "+",
                           .radio_off = "( )",
                           .radio_on = "(*)",
                           .check_off = "[ ]",
                           .check_on = "[x]",
                           .pointer = ">",
                           .tick = "[ok]",
                           .missing = "!",
                           .up = "^",
                           .down = "v",
                           .dot = "-",
                           .ellipsis = "...",
                           .bar = "|",
                           .dash = "-",
                           .cross = "+"};

constexpr TextStyle kBorder = {.is_dim = true};
constexpr TextStyle kTitle = {.is_bold = true};

std::string repeated(std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

std::string spaces(int count) {
    return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

// The border with a title at its left and one at its right, each cut to what room there is.
Line border(int width, std::string_view left_corner, std::string_view right_corner,
            std::string_view left_title, std::string_view right_title, const Glyphs& glyphs) {
    int room = width - 2;
    Line line = {{std::string(left_corner), kBorder}};
    if (!left_title.empty() && room > 5) {
        const std::string shown = cut_to_width(left_title, room - 4, glyphs.ellipsis);
        line.push_back({std::string(glyphs.horizontal) + " ", kBorder});
        line.push_back({shown, kTitle});
        line.push_back({" ", kBorder});
        room -= text_width(shown) + 3;
    }
    const int right = right_title.empty() ? 0 : text_width(right_title) + 3;
    const bool has_right = right > 0 && right < room;
    line.push_back({repeated(glyphs.horizontal, room - (has_right ? right : 0)), kBorder});
    if (has_right) {
        line.push_back({" " + std::string(right_title) + " ", {}});
        line.push_back({std::string(glyphs.horizontal), kBorder});
    }
    line.push_back({std::string(right_corner), kBorder});
    return line;
}

// Finds the rows of wrapped text in the styles of the text that was wrapped.
class StyledText {
public:
    StyledText(const Line& spans, std::string_view whole) : spans_(spans), whole_(whole) {}

    void put_row(Line& line, const std::string& row) {
        // Between two rows nothing is left out but blanks.
        at_ = std::min(whole_.find(row, at_), whole_.size());
        const std::size_t end = at_ + row.size();
        for (; here_ < spans_.size(); ++here_) {
            const Span& span = spans_[here_];
            const std::size_t from = std::max(first_, at_);
            const std::size_t to = std::min(first_ + span.text.size(), end);
            if (from < to) line.push_back({span.text.substr(from - first_, to - from), span.style});
            if (first_ + span.text.size() > end) break;
            first_ += span.text.size();
        }
        if (row.empty()) line.push_back({row, spans_.empty() ? TextStyle{} : spans_.front().style});
        at_ = end;
    }

private:
    const Line& spans_;
    const std::string_view whole_;
    std::size_t at_ = 0;     // of the whole: behind the last row
    std::size_t here_ = 0;   // the span that goes on there
    std::size_t first_ = 0;  // where that span begins
};

// Bytes of the first row of a line that is kept as it is: up to a blank where that leaves no short
// row, else as far as there is room.
std::size_t row_bytes(std::string_view line, int cells) {
    const std::string row = cut_to_width(line, cells, "");
    if (row.size() == line.size()) return row.size();
    if (row.empty()) return utf8::cluster_bytes(line);
    const std::size_t blank = row.find_last_of(' ');
    return blank != std::string::npos && blank >= row.size() / 2 ? blank + 1 : row.size();
}

// The lines from `first` on as a block of their own.
Block tail_of(const Block& block, std::size_t first) {
    const auto row = [&](std::size_t at) { return at - std::min(at, first); };
    Block tail{.focus_first = row(block.focus_first), .focus_last = row(block.focus_last)};
    tail.lines.assign(block.lines.begin() + static_cast<std::ptrdiff_t>(first), block.lines.end());
    if (block.cursor && block.cursor->row >= static_cast<int>(first))
        tail.cursor = Position{block.cursor->row - static_cast<int>(first), block.cursor->column};
    return tail;
}

}  // namespace

const Glyphs& glyphs_of(Charset charset) {
    return charset == Charset::utf8 ? kUtf8 : kAscii;
}

int Block::width() const {
    int widest = 0;
    for (const Line& line : lines) widest = std::max(widest, line_width(line));
    return widest;
}

void Block::add(std::string text, const TextStyle& style) {
    lines.push_back({{std::move(text), style}});
}

void Block::add(Block other) {
    const std::size_t before = lines.size();
    if (other.cursor) {
        cursor = Position{other.cursor->row + static_cast<int>(before), other.cursor->column};
        focus_first = other.focus_first + before;
        focus_last = other.focus_last + before;
    }
    std::ranges::move(other.lines, std::back_inserter(lines));
}

void Block::paragraph(std::string_view text, int cells, const TextStyle& style, const Line& lead) {
    paragraph(Line{{std::string(text), style}}, cells, lead);
}

void Block::paragraph(const Line& text, int cells, const Line& lead) {
    const int indent = line_width(lead);
    std::string whole;
    for (const Span& span : text) whole += span.text;
    StyledText styled(text, whole);
    bool is_first = true;
    for (const std::string& row : wrap(whole, std::max(cells - indent, 1))) {
        Line line = is_first ? lead : Line{{spaces(indent), {}}};
        if (indent == 0) line.clear();
        is_first = false;
        styled.put_row(line, row);
        lines.push_back(std::move(line));
    }
}

void Block::verbatim(std::string_view text, int cells, const TextStyle& style, const Line& lead) {
    const int indent = line_width(lead);
    const int room = std::max(cells - indent, 1);
    bool is_first = true;
    for (;;) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view rest = text.substr(0, end);
        do {
            const std::size_t taken = row_bytes(rest, room);
            Line line = is_first || indent == 0 ? lead : Line{{spaces(indent), {}}};
            is_first = false;
            line.push_back({std::string(rest.substr(0, taken)), style});
            lines.push_back(std::move(line));
            rest.remove_prefix(taken);
        } while (!rest.empty());
        if (end == text.size()) return;
        text.remove_prefix(end + 1);
    }
}

std::string text_of(const Block& block) {
    std::string text;
    for (const Line& line : block.lines) {
        if (&line != &block.lines.front()) text += '\n';
        for (const Span& span : line) text += span.text;
    }
    return text;
}

Line cut_line(const Line& line, int cells, std::string_view ellipsis) {
    if (line_width(line) <= cells) return line;
    Line cut;
    int room = cells - text_width(ellipsis);
    for (const Span& span : line) {
        const std::string shown = cut_to_width(span.text, std::max(room, 0), "");
        cut.push_back({shown, span.style});
        room -= text_width(shown);
        if (shown.size() < span.text.size()) break;
    }
    const TextStyle style = cut.empty() ? TextStyle{} : cut.back().style;
    if (room >= 0) cut.push_back({std::string(ellipsis), style});
    return cut;
}

void Block::focus_from(std::size_t first) {
    focus_first = first;
    focus_last = lines.empty() ? 0 : std::max(first, lines.size() - 1);
}

Window window_on_focus(const Block& block, int height) {
    height = std::max(height, 1);
    const int pinned = static_cast<int>(block.pinned);
    if (pinned > 0 && block.height() > height && pinned < height) {
        Window below = window_on_focus(tail_of(block, block.pinned), height - pinned);
        Window whole = window_at(block, pinned, 0);
        whole.block.add(std::move(below.block));
        whole.above = below.above;
        whole.below = below.below;
        return whole;
    }
    const int first = static_cast<int>(block.focus_first);
    const int last = static_cast<int>(block.focus_last);
    int offset = std::max(last + 1 - height, 0);
    if (first < offset) offset = first;
    // A field that is taller than the window: where its cursor is counts.
    if (block.cursor) {
        const int row = block.cursor->row;
        if (row < offset) offset = row;
        if (row >= offset + height) offset = row + 1 - height;
    }
    return window_at(block, height, offset);
}

Window window_at(const Block& block, int height, int offset) {
    height = std::max(height, 0);
    const int most = std::max(block.height() - height, 0);
    offset = std::clamp(offset, 0, most);
    const int count = std::min(height, block.height());
    Window window;
    window.above = offset;
    window.below = block.height() - offset - count;
    window.block.lines.assign(block.lines.begin() + offset, block.lines.begin() + offset + count);
    if (block.cursor && block.cursor->row >= offset && block.cursor->row < offset + count)
        window.block.cursor = Position{block.cursor->row - offset, block.cursor->column};
    return window;
}

Block box(const Block& body, int width, const BoxTitles& titles, const Glyphs& glyphs) {
    Block boxed;
    const int inner = width - 4;
    boxed.add(
        border(width, glyphs.top_left, glyphs.top_right, titles.top, titles.top_right, glyphs));
    for (const Line& each : body.lines) {
        Line line = {{std::string(glyphs.vertical) + " ", kBorder}};
        line.insert(line.end(), each.begin(), each.end());
        line.push_back({spaces(inner - line_width(each) + 1), {}});
        line.push_back({std::string(glyphs.vertical), kBorder});
        boxed.add(std::move(line));
    }
    boxed.add(border(width, glyphs.bottom_left, glyphs.bottom_right, {}, titles.bottom, glyphs));
    if (body.cursor) boxed.cursor = Position{body.cursor->row + 1, body.cursor->column + 2};
    return boxed;
}

Block beside(const Block& left, const Block& right, int gap) {
    Block both;
    const int width = left.width();
    for (int row = 0; row < std::max(left.height(), right.height()); ++row) {
        const auto at = static_cast<std::size_t>(row);
        Line line = row < left.height() ? left.lines[at] : Line{};
        if (row < right.height()) {
            line.push_back({spaces(width - line_width(line) + gap), {}});
            const Line& more = right.lines[at];
            line.insert(line.end(), more.begin(), more.end());
        }
        both.add(std::move(line));
    }
    both.cursor = left.cursor;
    if (right.cursor) both.cursor = Position{right.cursor->row, right.cursor->column + width + gap};
    return both;
}

Picture to_picture(const Block& block, int columns, int rows) {
    const int height = std::min(block.height(), rows);
    Picture picture{.grid = Grid(columns, height)};
    for (int row = 0; row < height; ++row)
        picture.grid.put({row, 0}, block.lines[static_cast<std::size_t>(row)]);
    if (block.cursor && block.cursor->row < height)
        picture.cursor = Position{block.cursor->row, std::min(block.cursor->column, columns - 1)};
    return picture;
}

}  // namespace parley
