// SPDX-License-Identifier: Apache-2.0
#include "app/local_time.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace parley::app {

std::string local_time(Instant at) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
    std::tm parts = {};
    if (::localtime_r(&seconds, &parts) == nullptr) return {};
    return fmt::format("{:02}:{:02}", parts.tm_hour, parts.tm_min);
}

}  // namespace parley::app
