// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/console.h"
#include "app/command_line/run.h"
#include "base/environment.h"

int main(int argc, char** argv) {
    using parley::Environment;
    using parley::app::Console;
    using parley::app::ExitCode;

    const Environment environment = Environment::of_process();
    Console console(environment);
    ExitCode code = ExitCode::failed;
    try {
        std::vector<std::string> arguments(argv, argv + argc);
        if (!arguments.empty()) arguments.erase(arguments.begin());
        code = parley::app::run(std::move(arguments), environment, console);
    } catch (const std::bad_alloc&) {
        console.tell(
            "parley: out of memory. What was acknowledged is stored. Give the process more, or a "
            "broker a lower bound with --memory-max, so that it refuses work before this.\n");
    } catch (const std::exception& error) {
        // Nothing of ours throws; what a library throws past its caller ends here.
        console.tell(fmt::format("parley: internal error: {}\n", error.what()));
    }
    return static_cast<int>(code);
}
