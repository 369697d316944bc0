// SPDX-License-Identifier: Apache-2.0
// A text's lines, without what ends them; views into the text.
#pragma once

#include <string_view>
#include <vector>

namespace parley::app {

inline std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace parley::app
