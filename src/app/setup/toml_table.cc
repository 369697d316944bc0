// SPDX-License-Identifier: Apache-2.0
#include "app/setup/toml_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/command_line/text_lines.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace parley::app {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string line_of(const TomlEntry& entry) {
    return fmt::format("{} = {}", entry.key, entry.value);
}

// The entry that a line sets; null if it sets none of ours.
const TomlEntry* entry_of(std::string_view line, const std::vector<TomlEntry>& entries) {
    const std::string_view key = trimmed(line.substr(0, line.find('=')));
    const auto found = std::ranges::find(entries, key, &TomlEntry::key);
    return found == entries.end() ? nullptr : &*found;
}

Error not_by_line(std::string_view table) {
    return {ErrorCode::conflict,
            fmt::format("it has {} in a form that is not changed here; change it by hand", table)};
}

// Whether both texts give this entry the same value.
bool is_set(std::string_view line, const TomlEntry& entry) {
    const auto has = toml::parse(line);
    const auto wanted = toml::parse(line_of(entry));
    return has && wanted && has.table() == wanted.table();
}

}  // namespace

std::string toml_table(std::string_view table, const std::vector<TomlEntry>& entries) {
    std::string text = fmt::format("[{}]\n", table);
    for (const TomlEntry& entry : entries) text += line_of(entry) + "\n";
    return text;
}

Result<std::string> set_toml_table(std::string_view text, std::string_view table,
                                   const std::vector<TomlEntry>& entries) {
    const auto parsed = toml::parse(text);
    if (!parsed) {
        return reject(ErrorCode::invalid, "it is not TOML: line {}: {}",
                      parsed.error().source().begin.line, parsed.error().description());
    }
    const std::string header = fmt::format("[{}]", table);
    if (!parsed.table().at_path(table)) {
        std::string added(text);
        if (!added.empty()) added += added.ends_with('\n') ? "\n" : "\n\n";
        return added + toml_table(table, entries);
    }
    const auto lines = lines_of(text);
    const auto begin = std::ranges::find(lines, header, trimmed);
    if (begin == lines.end()) return reject(not_by_line(table));
    const auto end = std::find_if(begin + 1, lines.end(), [](std::string_view line) {
        return trimmed(line).starts_with('[');
    });

    std::string after;
    const auto add = [&](std::string_view line) { after.append(line).append("\n"); };
    std::for_each(lines.begin(), begin + 1, add);
    std::vector<TomlEntry> missing = entries;
    std::string rest;
    for (auto line = begin + 1; line != end; ++line) {
        const TomlEntry* entry = entry_of(*line, entries);
        if (entry == nullptr) {
            rest.append(*line).append("\n");
            continue;
        }
        // A value that goes on in the next line is not replaced by half.
        if (!toml::parse(*line)) return reject(not_by_line(table));
        rest.append(is_set(*line, *entry) ? std::string(*line) : line_of(*entry)).append("\n");
        std::erase_if(missing, [&](const TomlEntry& other) { return other.key == entry->key; });
    }
    for (const TomlEntry& entry : missing) add(line_of(entry));
    after += rest;
    std::for_each(end, lines.end(), add);
    if (!text.ends_with('\n') && after.ends_with('\n')) after.pop_back();
    if (!toml::parse(after)) return reject(not_by_line(table));
    return after;
}

Result<std::string> without_toml_table(std::string_view text, std::string_view table) {
    const auto parsed = toml::parse(text);
    if (!parsed) {
        return reject(ErrorCode::invalid, "it is not TOML: line {}: {}",
                      parsed.error().source().begin.line, parsed.error().description());
    }
    if (!parsed.table().at_path(table)) return std::string(text);
    const std::string own = fmt::format("[{}]", table);
    const std::string below = fmt::format("[{}.", table);
    std::vector<std::string_view> kept;
    bool is_inside = false;
    for (const std::string_view line : lines_of(text)) {
        if (trimmed(line).starts_with('['))
            is_inside = trimmed(line) == own || trimmed(line).starts_with(below);
        if (!is_inside) kept.push_back(line);
    }
    while (!kept.empty() && trimmed(kept.back()).empty()) kept.pop_back();
    std::string after;
    for (const std::string_view line : kept) after.append(line).append("\n");
    const auto rest = toml::parse(after);
    if (!rest || rest.table().at_path(table)) return reject(not_by_line(table));
    return after;
}

}  // namespace parley::app
