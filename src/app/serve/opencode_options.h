// SPDX-License-Identifier: Apache-2.0
// What OpenCode's own clients meet at `parley serve`, as options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "door/opencode/opencode_door.h"

namespace parley::app {

class OpenCodeServeOptions {
public:
    std::vector<OptionSpec> specs();
    OpenCodeOptions read() const;

private:
    std::optional<std::string> client_ = "cli";
    bool is_legacy_ = false;
};

}  // namespace parley::app
