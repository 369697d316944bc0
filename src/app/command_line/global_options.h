// SPDX-License-Identifier: Apache-2.0
// The options that every command takes, and where they go.
#pragma once

#include "app/command_line/command.h"
#include "app/command_line/run_context.h"

namespace parley::app {

struct GlobalArguments {
    GlobalOptions options = {};
    bool wants_help = false;
    bool wants_version = false;

    // The targets are members of this object.
    CommandSpec spec();
};

}  // namespace parley::app
