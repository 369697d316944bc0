// SPDX-License-Identifier: Apache-2.0
// Which agents that run elsewhere `parley serve` joins by itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/environment.h"
#include "base/result.h"

namespace parley::app {

class JoinOptions {
public:
    std::vector<OptionSpec> specs();
    // The socket of the Codex to join, if one is.
    [[nodiscard]] Result<std::optional<std::filesystem::path>> codex(
        const Environment& environment) const;

private:
    std::vector<std::string> agents_;
};

}  // namespace parley::app
