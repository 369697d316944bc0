// SPDX-License-Identifier: Apache-2.0
#include "core/unified_diff.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "core/limits.h"
#include "core/text_rules.h"
#include "text/line_diff.h"
#include "text/safe_text.h"

namespace parley {

std::string diff_head(std::string_view path) {
    const std::string name = one_line(path, limits::kSummaryChars);
    return fmt::format("--- {}\n+++ {}\n", name, name);
}

void append_hunk(std::string& out, std::string_view given_before, std::string_view given_after,
                 std::string_view section, std::size_t cells_max) {
    // Newlines of all kinds count alike, unless nothing else changes.
    std::string before = normalize_newlines(given_before);
    std::string after = normalize_newlines(given_after);
    if (before == after) {
        before = given_before;
        after = given_after;
    }
    std::vector<std::string_view> old_lines = split_lines(before);
    std::vector<std::string_view> new_lines = split_lines(after);
    if (before.empty()) old_lines.clear();
    if (after.empty()) new_lines.clear();
    const bool both_end = before.ends_with('\n') && after.ends_with('\n');
    if (both_end || (before.empty() && after.ends_with('\n'))) new_lines.pop_back();
    if (both_end || (after.empty() && before.ends_with('\n'))) old_lines.pop_back();
    fmt::format_to(std::back_inserter(out), "@@ -{},{} +{},{} @@{}{}\n", old_lines.empty() ? 0 : 1,
                   old_lines.size(), new_lines.empty() ? 0 : 1, new_lines.size(),
                   section.empty() ? "" : " ", section);
    for (const LineChange& change : compare_lines(old_lines, new_lines, cells_max)) {
        out += " -+"[static_cast<std::size_t>(change.kind)];
        out += change.line;
        out += '\n';
    }
}

}  // namespace parley
