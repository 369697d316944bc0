// SPDX-License-Identifier: Apache-2.0
#include "dialect/codex/shell_words.h"

#include <utility>

namespace parley::codex {

namespace {

constexpr std::string_view kSpecial = "|&;<>()$`*?[]#~{}!\n";

// Takes one quoted piece off `line`, which begins with its quote; false: it has no end, or is more
// than text.
bool take_quoted(std::string_view& line, std::string& word) {
    const char quote = line.front();
    line.remove_prefix(1);
    while (!line.empty() && line.front() != quote) {
        char c = line.front();
        if (quote == '"' && (c == '$' || c == '`')) return false;
        line.remove_prefix(1);
        const bool is_escape =
            quote == '"' && c == '\\' && !line.empty() &&
            std::string_view("$`\"\\").find(line.front()) != std::string_view::npos;
        if (is_escape) {
            c = line.front();
            line.remove_prefix(1);
        }
        word += c;
    }
    if (line.empty()) return false;
    line.remove_prefix(1);
    return true;
}

}  // namespace

std::optional<std::vector<std::string>> split_shell_words(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool is_inside = false;
    while (!line.empty()) {
        const char c = line.front();
        if (c == ' ' || c == '\t') {
            if (std::exchange(is_inside, false)) words.push_back(std::exchange(word, {}));
            line.remove_prefix(1);
            continue;
        }
        is_inside = true;
        if (c == '\'' || c == '"') {
            if (!take_quoted(line, word)) return std::nullopt;
            continue;
        }
        if (kSpecial.find(c) != std::string_view::npos) return std::nullopt;
        if (c == '\\') line.remove_prefix(1);
        if (line.empty()) return std::nullopt;
        word += line.front();
        line.remove_prefix(1);
    }
    if (is_inside) words.push_back(std::move(word));
    return words;
}

std::string quoted_name(std::string_view text) {
    const std::size_t end = text.rfind('"');
    if (end == std::string_view::npos || end == 0) return {};
    const std::size_t begin = text.rfind('"', end - 1);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin + 1, end - begin - 1));
}

}  // namespace parley::codex
