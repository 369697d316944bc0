// SPDX-License-Identifier: Apache-2.0
// The help of a command and of the whole, from the same description that parses them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "app/command_line/command.h"
#include "prompt/plain_page.h"

namespace parley::app {

// "usage: parley ask [OPTIONS] QUESTION".
std::string usage_line(std::string_view name, const CommandSpec& spec);

// `global` are the options that every command takes.
std::string command_help(std::string_view name, const CommandSpec& spec, const CommandSpec& global,
                         const PlainStyle& style);
// The commands, or those of one group ("token").
std::string overview(std::span<const CommandEntry> table, std::string_view group,
                     const CommandSpec& global, const PlainStyle& style);

}  // namespace parley::app
