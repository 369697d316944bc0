// SPDX-License-Identifier: Apache-2.0
// Setting keys of one table in the text of somebody else's TOML file: every other line stays as its
// author wrote it. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parley::app {

struct TomlEntry {
    std::string key;
    std::string value;  // as TOML, on one line
};

// "[table]" and its entries, as lines.
std::string toml_table(std::string_view table, const std::vector<TomlEntry>& entries);

// `text` with these entries in its table, which is added if there is none. Refused: a text that is
// not TOML, and a table that is written in a way that cannot be changed line by line.
[[nodiscard]] Result<std::string> set_toml_table(std::string_view text, std::string_view table,
                                                 const std::vector<TomlEntry>& entries);

// `text` without the table and the tables below it. Refused as above.
[[nodiscard]] Result<std::string> without_toml_table(std::string_view text, std::string_view table);

}  // namespace parley::app
