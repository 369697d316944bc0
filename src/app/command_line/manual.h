// SPDX-License-Identifier: Apache-2.0
// The manual, made from the table of commands: pages for man(1), and the reference of docs/. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/completions.h"

namespace parley::app {

// What stands at the foot of every page.
struct Edition {
    std::string version;
    std::string date;  // of what it was built from; may be empty
};

// "ask" is the page "parley-ask", "token create" the page "parley-token-create".
std::string man_page_name(std::string_view command);

// parley(1): the commands, the options of all, exit codes, files.
std::string man_overview(const std::vector<DescribedCommand>& commands, const CommandSpec& global,
                         const Edition& edition);
std::string man_page(const DescribedCommand& command, const CommandSpec& global,
                     const Edition& edition);

// Every command with its options, settings and variables, in Markdown.
std::string reference_page(const std::vector<DescribedCommand>& commands,
                           const CommandSpec& global);

}  // namespace parley::app
