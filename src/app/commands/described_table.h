// SPDX-License-Identifier: Apache-2.0
// The table of commands with what each says of itself, for what is made from all of them:
// completions and the manual.
#pragma once

#include <memory>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/completions.h"

namespace parley::app {

class DescribedTable {
public:
    DescribedTable();

    const std::vector<DescribedCommand>& commands() const { return commands_; }

private:
    std::vector<std::unique_ptr<Command>> made_;  // what the descriptions point into
    std::vector<DescribedCommand> commands_;
};

}  // namespace parley::app
