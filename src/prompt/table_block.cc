// SPDX-License-Identifier: Apache-2.0
#include "prompt/table_block.h"

#include <algorithm>
#include <numeric>

#include "prompt/limits.h"
#include "prompt/styles.h"

namespace parley {

namespace {

constexpr int kBetween = 3;  // cells between two columns

int total(const std::vector<int>& widths) {
    return std::accumulate(widths.begin(), widths.end(), 0) +
           kBetween * (static_cast<int>(widths.size()) - 1);
}

std::vector<int> natural_widths(const std::vector<TableRow>& rows) {
    std::vector<int> widths;
    for (const TableRow& row : rows) {
        widths.resize(std::max(widths.size(), row.cells.size()), 1);
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            widths[i] = std::max(widths[i], line_width(row.cells[i]));
    }
    return widths;
}

// The widest give way first, so that short columns stay on one line.
void narrow(std::vector<int>& widths, int cells) {
    while (total(widths) > cells) {
        const auto widest = std::ranges::max_element(widths);
        if (*widest <= limits::kColumnCellsMin) return;
        int second = limits::kColumnCellsMin;
        for (const int width : widths)
            if (width < *widest) second = std::max(second, width);
        const auto as_wide = static_cast<int>(std::ranges::count(widths, *widest));
        const int excess = total(widths) - cells;
        const int step = std::max(std::min((excess + as_wide - 1) / as_wide, *widest - second), 1);
        const int from = *widest;
        for (int& width : widths)
            if (width == from) width -= step;
    }
}

std::string repeated(std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

class Table {
public:
    Table(std::vector<int> widths, const Glyphs& glyphs)
        : widths_(std::move(widths)), glyphs_(glyphs) {}

    void add(Block& block, const TableRow& row) const {
        std::vector<Block> columns(widths_.size());
        int height = 1;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            columns[i].paragraph(row.cells[i], widths_[i]);
            height = std::max(height, columns[i].height());
        }
        for (int at = 0; at < height; ++at) {
            Line line;
            for (std::size_t i = 0; i < columns.size(); ++i) {
                if (i > 0) line.push_back({bar(), kDim});
                Line cell = at < columns[i].height()
                                ? columns[i].lines[static_cast<std::size_t>(at)]
                                : Line{};
                const int missing = widths_[i] - line_width(cell);
                line.insert(line.end(), cell.begin(), cell.end());
                if (i + 1 < columns.size())
                    line.push_back(
                        {std::string(static_cast<std::size_t>(std::max(missing, 0)), ' '), {}});
            }
            block.add(std::move(line));
        }
        if (row.is_head) add_rule(block);
    }

private:
    std::string bar() const { return " " + std::string(glyphs_.bar) + " "; }
    void add_rule(Block& block) const {
        std::string rule;
        for (std::size_t i = 0; i < widths_.size(); ++i) {
            if (i > 0)
                rule += repeated(glyphs_.horizontal, 1) + std::string(glyphs_.cross) +
                        repeated(glyphs_.horizontal, 1);
            rule += repeated(glyphs_.horizontal, widths_[i]);
        }
        block.add(std::move(rule), kDim);
    }

    const std::vector<int> widths_;
    const Glyphs& glyphs_;
};

void add_as_paragraph(Block& block, const TableRow& row, int cells, const Glyphs& glyphs) {
    Line line;
    for (const Line& cell : row.cells) {
        if (!line.empty()) line.push_back({" " + std::string(glyphs.bar) + " ", kDim});
        line.insert(line.end(), cell.begin(), cell.end());
    }
    block.paragraph(line, cells);
}

}  // namespace

Block table_block(const std::vector<TableRow>& rows, int cells, const Glyphs& glyphs) {
    Block block;
    std::vector<int> widths = natural_widths(rows);
    narrow(widths, cells);
    if (total(widths) > cells) {
        for (const TableRow& row : rows) add_as_paragraph(block, row, cells, glyphs);
        return block;
    }
    const Table table(std::move(widths), glyphs);
    for (const TableRow& row : rows) table.add(block, row);
    return block;
}

}  // namespace parley
