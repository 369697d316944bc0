// SPDX-License-Identifier: Apache-2.0
// What `parley doctor` looks at: each check gives findings, in words for people, with the way out
// where something is wrong. A check changes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/console.h"
#include "base/environment.h"

namespace parley::app {

struct Finding {
    enum class Grade : std::uint8_t { good, note, bad };

    Grade grade = Grade::good;
    std::string subject;   // one word: "broker"
    std::string detail;    // what was found
    std::string fix = {};  // what to do about it; for a note or a fault
};

using Findings = std::vector<Finding>;

// Where configuration and state are, and whether they can be used.
void check_folders(const Environment& environment, Findings& findings);
// The owner's token: there, and readable by its owner alone.
void check_token_file(const Environment& environment, Findings& findings);
// Whether the page has a host of its own here (own_name.h).
void check_page_name(Findings& findings);
// What the terminal and the locale allow.
void check_terminal(const Environment& environment, const Console& console, Findings& findings);
// Which agents `parley run` could start here.
void check_agents(const Environment& environment, Findings& findings);

// The process that listens at a local socket, as the system knows it.
struct SocketHolder {
    int pid = 0;
    std::string command = {};  // its command line; empty if it is not ours to read
};
std::optional<SocketHolder> find_socket_holder(const std::filesystem::path& socket);

}  // namespace parley::app
