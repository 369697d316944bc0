// SPDX-License-Identifier: Apache-2.0
// The makers of the commands that change what a store keeps. Each makes one unfilled command.
#pragma once

#include <memory>

#include "app/command_line/command.h"

namespace parley::app {

std::unique_ptr<Command> make_store_backup();
std::unique_ptr<Command> make_store_forget();
std::unique_ptr<Command> make_store_prune();
std::unique_ptr<Command> make_store_restore();

}  // namespace parley::app
