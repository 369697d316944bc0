// SPDX-License-Identifier: Apache-2.0
// The folders that a broker keeps things in. Only the default one is made: a folder that somebody
// named and that is not there is more likely mistyped than missing.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace parley::app {

// Makes it and what is missing above it, for its owner alone.
[[nodiscard]] Result<void> make_state_folder(const std::filesystem::path& folder);

// Of a file that `option` names: the error names the folder, and how to make it.
[[nodiscard]] Result<void> check_folder_of(const std::filesystem::path& file,
                                           std::string_view option);
// The same of "sqlite:PATH"; other stores have no folder.
[[nodiscard]] Result<void> check_folder_of_store(std::string_view url, std::string_view option);

}  // namespace parley::app
