// SPDX-License-Identifier: Apache-2.0
// The environment variables as a value, read once in main, and what a few of them mean. Tests make
// their own.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

class Environment {
public:
    using Variables = std::map<std::string, std::string, std::less<>>;

    explicit Environment(Variables variables) : variables_(std::move(variables)) {}
    static Environment of_process();

    // An empty variable counts as absent, as the XDG and locale rules have it.
    std::optional<std::string> find(std::string_view name) const;

    // Every variable as "NAME=value", for a child.
    std::vector<std::string> list() const;

    // Whether text in UTF-8 is understood, by LC_ALL, LC_CTYPE or LANG.
    bool is_utf8() const;
    // $XDG_CONFIG_HOME/parley/config.toml, or below ~/.config; nullopt without a home.
    std::optional<std::filesystem::path> config_file() const;
    // Where the broker of this user listens unless told otherwise.
    std::optional<std::filesystem::path> default_socket() const;
    // $XDG_STATE_HOME/parley, or below ~/.local/state: the default store and token.
    std::optional<std::filesystem::path> state_folder() const;

private:
    std::optional<std::filesystem::path> folder(std::string_view variable,
                                                std::string_view below_home) const;

    Variables variables_;
};

}  // namespace parley
