// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>

namespace parley {

Environment Environment::of_process() {
    Variables variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return Environment(std::move(variables));
}

std::optional<std::string> Environment::find(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second.empty()) return std::nullopt;
    return found->second;
}

std::vector<std::string> Environment::list() const {
    std::vector<std::string> entries;
    for (const auto& [name, value] : variables_) entries.push_back(name + '=' + value);
    return entries;
}

bool Environment::is_utf8() const {
    for (const std::string_view name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        auto locale = find(name);
        if (!locale) continue;
        std::ranges::transform(*locale, locale->begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return locale->find(".utf-8") != std::string::npos ||
               locale->find(".utf8") != std::string::npos;
    }
    return false;
}

std::optional<std::filesystem::path> Environment::folder(std::string_view variable,
                                                         std::string_view below_home) const {
    // A relative path is to be ignored, says the XDG base directory specification.
    if (const auto named = find(variable); named && named->front() == '/') return *named;
    const auto home = find("HOME");
    if (!home || below_home.empty()) return std::nullopt;
    return std::filesystem::path(*home) / below_home;
}

std::optional<std::filesystem::path> Environment::config_file() const {
    const auto config = folder("XDG_CONFIG_HOME", ".config");
    if (!config) return std::nullopt;
    return *config / "parley" / "config.toml";
}

std::optional<std::filesystem::path> Environment::default_socket() const {
    if (const auto runtime = folder("XDG_RUNTIME_DIR", "")) return *runtime / "parley.sock";
    const auto state = state_folder();
    if (!state) return std::nullopt;
    return *state / "parley.sock";
}

std::optional<std::filesystem::path> Environment::state_folder() const {
    const auto state = folder("XDG_STATE_HOME", ".local/state");
    if (!state) return std::nullopt;
    return *state / "parley";
}

}  // namespace parley
