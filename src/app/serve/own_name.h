// SPDX-License-Identifier: Apache-2.0
// The page's own host on this machine. A cookie belongs to a host and knows no ports: what is kept
// for 127.0.0.1 a browser also sends to every other program that listens there. A name of its own
// keeps it apart (docs/security.md).
#pragma once

#include <string>
#include <string_view>

namespace parley::app {

inline constexpr std::string_view kOwnName = "parley.localhost";

// What the system's resolver is set up with.
struct ResolverFiles {
    std::string hosts;        // /etc/hosts
    std::string name_switch;  // /etc/nsswitch.conf
    std::string resolver;     // /etc/resolv.conf
};

// Whether this machine itself answers for the name. Otherwise nobody is asked: a question to the
// network would tell others what runs here, and could take seconds.
bool is_answered_here(std::string_view name, const ResolverFiles& files);

// Whether programs on this machine find the page under its own name, and nowhere but here.
bool has_own_name();

}  // namespace parley::app
