// SPDX-License-Identifier: Apache-2.0
#include "text/line_diff.h"

#include <algorithm>
#include <cstddef>

#include "text/limits.h"

namespace parley {

namespace {

using Lines = std::vector<std::string_view>;
using Kind = LineChange::Kind;

// How many lines two ranges have in common from any two places on. Empty if the table would be
// larger than its limit.
class CommonTable {
public:
    CommonTable(const Lines& before, const Lines& after, std::size_t start, std::size_t before_end,
                std::size_t after_end, std::size_t cells_max)
        : start_(start), columns_(after_end - start + 1) {
        const std::size_t rows = before_end - start + 1;
        if (rows > cells_max / columns_) return;
        cells_.assign(rows * columns_, 0);
        for (std::size_t i = before_end; i-- > start;)
            for (std::size_t j = after_end; j-- > start;)
                cell(i, j) = before[i] == after[j] ? cell(i + 1, j + 1) + 1
                                                   : std::max(cell(i + 1, j), cell(i, j + 1));
    }

    bool empty() const { return cells_.empty(); }
    std::uint32_t& cell(std::size_t i, std::size_t j) {
        return cells_[(i - start_) * columns_ + (j - start_)];
    }

private:
    std::size_t start_;
    std::size_t columns_;
    std::vector<std::uint32_t> cells_;
};

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
    Lines lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + 1);
    }
}

std::vector<LineChange> compare_lines(const std::vector<std::string_view>& before,
                                      const std::vector<std::string_view>& after) {
    return compare_lines(before, after, limits::kLineTableCells);
}

std::vector<LineChange> compare_lines(const Lines& before, const Lines& after,
                                      std::size_t cells_max) {
    std::size_t start = 0;
    while (start < before.size() && start < after.size() && before[start] == after[start]) ++start;
    std::size_t before_end = before.size();
    std::size_t after_end = after.size();
    while (before_end > start && after_end > start &&
           before[before_end - 1] == after[after_end - 1]) {
        --before_end;
        --after_end;
    }
    CommonTable common(before, after, start, before_end, after_end, cells_max);
    std::vector<LineChange> changes;
    changes.reserve(before.size() + after.size());
    for (std::size_t i = 0; i < start; ++i) changes.push_back({Kind::same, before[i]});
    std::size_t i = start;
    std::size_t j = start;
    while (i < before_end || j < after_end) {
        const bool both = i < before_end && j < after_end;
        if (both && !common.empty() && before[i] == after[j]) {
            changes.push_back({Kind::same, before[i++]});
            ++j;
        } else if (i < before_end &&
                   (!both || common.empty() || common.cell(i + 1, j) >= common.cell(i, j + 1))) {
            changes.push_back({Kind::removed, before[i++]});
        } else {
            changes.push_back({Kind::added, after[j++]});
        }
    }
    for (; i < before.size(); ++i) changes.push_back({Kind::same, before[i]});
    return changes;
}

}  // namespace parley
