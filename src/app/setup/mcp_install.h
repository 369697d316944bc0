// SPDX-License-Identifier: Apache-2.0
// Telling an MCP client to start `parley mcp`: its configuration printed, or written into its file
// with all else in it kept. Blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/run_context.h"

namespace parley::app {

// This very program, wherever a client is started from.
std::string own_program();

// The clients whose configuration is known.
std::vector<std::string> mcp_clients();

enum class InstallMode : bool { print, write };
// `options` are those with which the client is to start `parley mcp`.
ExitCode install_mcp(const RunContext& context, std::string_view client, InstallMode mode,
                     const std::vector<std::string>& options);

// Takes out of the client's files what install_mcp wrote; a file that then says nothing goes too.
ExitCode uninstall_mcp(const RunContext& context, std::string_view client);

}  // namespace parley::app
