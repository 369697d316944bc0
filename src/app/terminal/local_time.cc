// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/local_time.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace parley::app {

std::string local_time(Instant at) {
    return local_time_at(at, std::chrono::floor<Millis>(std::chrono::system_clock::now()));
}

std::string local_time_at(Instant at, Instant now) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
    std::tm parts = {};
    if (::localtime_r(&seconds, &parts) == nullptr) return {};
    std::string time = fmt::format("{:02}:{:02}", parts.tm_hour, parts.tm_min);
    const std::time_t now_seconds = std::chrono::system_clock::to_time_t(now);
    std::tm today = {};
    if (::localtime_r(&now_seconds, &today) != nullptr && today.tm_year == parts.tm_year &&
        today.tm_yday == parts.tm_yday)
        return time;
    return fmt::format("{}-{:02}-{:02} {}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       time);
}

}  // namespace parley::app
