// SPDX-License-Identifier: Apache-2.0
#include "app/serve/memory_watch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

namespace parley::app {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// "max" and a file that is not there mean no limit.
std::size_t read_limit(const char* path) {
    std::ifstream file(path);
    std::string text;
    file >> text;
    std::size_t bytes = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return text.empty() || error != std::errc() ? kUnlimited : bytes;
}

std::size_t address_space() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    return limit.rlim_cur;
}

}  // namespace

std::size_t memory_of_machine() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const std::size_t machine = pages > 0 ? static_cast<std::size_t>(pages) *
                                                static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))
                                          : kUnlimited;
    return std::min({machine, address_space(), read_limit("/sys/fs/cgroup/memory.max"),
                     read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

}  // namespace parley::app
