// SPDX-License-Identifier: Apache-2.0
// Which agents that run elsewhere `parley serve` joins by itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "base/environment.h"
#include "base/result.h"

namespace parley::app {

// The Codex to join.
struct CodexPlace {
    std::filesystem::path socket;
    std::filesystem::path claims;  // the folder in which it is said who has joined it
};

class JoinOptions {
public:
    std::vector<OptionSpec> specs();
    [[nodiscard]] Result<std::optional<CodexPlace>> codex(const Environment& environment) const;

private:
    std::vector<std::string> agents_;
};

}  // namespace parley::app
