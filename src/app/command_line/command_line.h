// SPDX-License-Identifier: Apache-2.0
// Arguments into the targets of a command's description. A fault says what is wrong and what to
// write instead. Pure, apart from the targets.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/command.h"
#include "base/result.h"

namespace parley::app {

// The long names of the options that were given.
using GivenOptions = std::set<std::string, std::less<>>;

// Fills the targets. Whether required arguments are there is not checked: `--help` needs none.
[[nodiscard]] Result<GivenOptions> parse_arguments(const CommandSpec& spec,
                                                   std::vector<std::string> arguments);
[[nodiscard]] Result<void> check_required(const CommandSpec& spec);

// Puts values into the target of an option: of a switch true or false, else one text or several,
// which must be among its choices. A fault begins with `place`: where the values stood.
[[nodiscard]] Result<void> fill(const OptionSpec& option, std::span<const std::string> values,
                                std::string_view place);

// The candidate that `word` was probably meant to be; empty if none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace parley::app
