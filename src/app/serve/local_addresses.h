// SPDX-License-Identifier: Apache-2.0
// How other machines call this one.
#pragma once

#include <string>
#include <vector>

namespace parley::app {

// Of the interfaces that are up, without loopback and link-local ones; IPv4 first.
std::vector<std::string> local_addresses();
// "" if it has none.
std::string host_name();

}  // namespace parley::app
