// SPDX-License-Identifier: Apache-2.0
// What every command is run with. References to what main owns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/command_line/console.h"
#include "app/command_line/exit_codes.h"
#include "base/environment.h"
#include "parley/error.h"

namespace parley::app {

struct GlobalOptions {
    std::optional<std::string> server = {};  // http(s)://HOST:PORT or unix:PATH
    std::optional<std::string> token = {};
    std::optional<std::string> ca = {};  // a file: whom to trust with https
};

struct RunContext {
    std::string_view command;  // its name, as messages give it
    const Environment& environment;
    Console& console;
    const GlobalOptions& global;

    // "parley ask: what happened", on stderr.
    void complain(std::string_view message) const;
    // The same, and the exit code that the error means.
    ExitCode fail(const Error& error) const;
    // The same with the way to the help: for wrong usage.
    ExitCode refuse_usage(std::string_view message) const;
};

}  // namespace parley::app
