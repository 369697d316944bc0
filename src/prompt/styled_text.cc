// SPDX-License-Identifier: Apache-2.0
#include "prompt/styled_text.h"

#include "prompt/markdown.h"

namespace parley {

namespace {

bool has_fence(std::string_view text) {
    for (;;) {
        const std::size_t start = text.find_first_not_of(' ');
        if (start != std::string_view::npos &&
            (text.substr(start).starts_with("```") || text.substr(start).starts_with("~~~")))
            return true;
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return false;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Line with_inline_code(std::string_view text, const TextStyle& style) {
    // Told by its weight too, so that it is seen without colours.
    const TextStyle code{.color = Color::cyan, .is_bold = !style.is_bold};
    Line line;
    const auto add = [&](std::string_view part, const TextStyle& of) {
        if (!part.empty()) line.push_back({std::string(part), of});
    };
    while (!text.empty()) {
        const std::size_t open = text.find('`');
        const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
        // Code is on one line; a backtick without its other half, or two in a row, are themselves.
        const bool is_code = close != std::string_view::npos && close > open + 1 &&
                             text.substr(open, close - open).find('\n') == std::string_view::npos;
        if (open == std::string_view::npos || close == std::string_view::npos) {
            add(text, style);
            break;
        }
        add(text.substr(0, is_code ? open : close), style);
        if (is_code) add(text.substr(open + 1, close - open - 1), code);
        text.remove_prefix(is_code ? close + 1 : close);
    }
    if (line.empty()) line.push_back({std::string(), style});
    return line;
}

Block preview_block(std::string_view preview, int cells, Charset charset) {
    if (has_fence(preview)) return markdown_block(preview, cells, charset);
    Block lines;
    lines.verbatim(shown_text(preview, charset), cells, {.color = Color::cyan});
    return lines;
}

}  // namespace parley
