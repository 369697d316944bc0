// SPDX-License-Identifier: Apache-2.0
// A program that is run once, to its end: it is given its input, what it prints is dropped, the
// first line of its errors is kept, and it is stopped, with all that it started in its group, when
// its time is over. Belongs to the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "net/child.h"
#include "net/loop.h"

namespace parley::net {

struct ProgramRun {
    std::vector<std::string> argv;         // the program is looked for in PATH
    std::vector<std::string> environment;  // "NAME=value", the whole of it
    std::string input;
    Millis time;        // it may take; then TERM, and KILL after the usual grace
    Millis last_words;  // its errors are waited for, once it has ended
};

struct ProgramEnd {
    ExitStatus status = {};
    bool is_late = false;        // its time was over
    std::string complaint = {};  // the first line of its errors
};

// `ended` is called once, later, unless the loop goes first; then the program is killed. The Error
// says why it could not be started.
void run_program(Loop& loop, ProgramRun run, UniqueFunction<void(Result<ProgramEnd>)> ended);

}  // namespace parley::net
