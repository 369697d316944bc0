// SPDX-License-Identifier: Apache-2.0
// From the arguments of the process to the exit code: finds the command, fills its options from
// flags, variables and the file, and runs it.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/console.h"
#include "app/command_line/exit_codes.h"
#include "base/environment.h"

namespace parley::app {

// `arguments` without the program's name.
ExitCode run(std::vector<std::string> arguments, const Environment& environment, Console& console);

}  // namespace parley::app
