// SPDX-License-Identifier: Apache-2.0
// Completion scripts for shells, made from the table of commands. Pure.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.h"

namespace parley::app {

// A command with its description, as a script needs it.
struct DescribedCommand {
    std::string name;
    std::string summary;
    CommandSpec spec;
};

// `global` are the options of every command.
std::string bash_completions(const std::vector<DescribedCommand>& commands,
                             const CommandSpec& global);
std::string zsh_completions(const std::vector<DescribedCommand>& commands,
                            const CommandSpec& global);
std::string fish_completions(const std::vector<DescribedCommand>& commands,
                             const CommandSpec& global);

}  // namespace parley::app
