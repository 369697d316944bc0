// SPDX-License-Identifier: Apache-2.0
// The configuration file and the PARLEY_* variables as the values of options that were not given as
// flags. Flags win over variables, variables over the file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/command_line.h"
#include "base/environment.h"
#include "base/result.h"

namespace parley::app {

// The file, flattened: "serve.listen" and its values. A key that no option knows is an error that
// names its line and column, and so is a value of another type than text, number or switch.
class ConfigFile {
public:
    struct Entry {
        std::vector<std::string> values;
        std::string place;  // "config.toml:3:1"
    };

    ConfigFile() = default;
    // `known` are the settings that exist.
    [[nodiscard]] static Result<ConfigFile> parse(std::string_view text, std::string_view file_name,
                                                  const std::vector<std::string>& known);
    // A file that is not there is an empty one.
    [[nodiscard]] static Result<ConfigFile> load(const std::filesystem::path& path,
                                                 const std::vector<std::string>& known);

    const Entry* find(std::string_view setting) const;

private:
    std::map<std::string, Entry, std::less<>> entries_;
};

// "serve.listen" as a variable: PARLEY_SERVE_LISTEN.
std::string variable_name(std::string_view setting);

// Fills the targets of options that have a setting and were not given.
[[nodiscard]] Result<void> apply_settings(const CommandSpec& spec, const GivenOptions& given,
                                          const Environment& environment, const ConfigFile& file);

}  // namespace parley::app
