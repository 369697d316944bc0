// SPDX-License-Identifier: Apache-2.0
#include "app/serve/resource_options.h"

#include <sys/resource.h>

#include <charconv>
#include <limits>

#include "app/limits.h"
#include "app/serve/memory_watch.h"
#include "base/sizes.h"
#include "text/time_text.h"

namespace parley::app {

namespace {

std::optional<std::size_t> parse_count(std::string_view text) {
    std::size_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc() || at != end || count == 0) return std::nullopt;
    return count;
}

}  // namespace

// Each person who watches is an open connection, and the usual soft limit is a thousand.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
    std::size_t unit = 1;
    if (!text.empty()) {
        switch (text.back()) {
            case 'K': unit = limits::kKiB; break;
            case 'M': unit = limits::kMiB; break;
            case 'G': unit = 1024 * limits::kMiB; break;
            default: break;
        }
    }
    if (unit != 1) text.remove_suffix(1);
    const auto count = parse_count(text);
    if (!count || *count > std::numeric_limits<std::size_t>::max() / unit) return std::nullopt;
    return *count * unit;
}

std::vector<OptionSpec> ResourceOptions::specs() {
    return {{.names = "--memory-max",
             .value = "SIZE",
             .help = "How much memory it may use, e.g. 512M; near it, new asks, messages and "
                     "sessions are refused with 503 (default: half of what the machine has)",
             .target = &memory_max_,
             .setting = "serve.memory_max"},
            {.names = "--quota-asks",
             .value = "N",
             .help = "How many asks of one agent may wait; more are refused with 429 (default "
                     "10000)",
             .target = &quota_asks_,
             .setting = "serve.quota_asks"},
            {.names = "--quota-bytes",
             .value = "SIZE",
             .help = "How much they may hold together (default 64M)",
             .target = &quota_bytes_,
             .setting = "serve.quota_bytes"},
            {.names = "--quota-sessions",
             .value = "N",
             .help = "How many sessions one agent may have open (default 1000)",
             .target = &quota_sessions_,
             .setting = "serve.quota_sessions"},
            {.names = "--node-timeout",
             .value = "TIME",
             .help = "Where several brokers share a store: how long another may be silent before "
                     "the sessions of agents that listened there are said to be left (default 60s)",
             .target = &node_timeout_,
             .setting = "serve.node_timeout"}};
}

Result<Resources> ResourceOptions::read() const {
    Resources resources{.memory_max = memory_of_machine() / 2};
    if (memory_max_) {
        const auto bytes = parse_bytes(*memory_max_);
        if (!bytes || *bytes < limits::kMemoryMin)
            return reject(ErrorCode::invalid,
                          "--memory-max {}: expected a size of at least 64M, like 512M or 2G",
                          *memory_max_);
        resources.memory_max = *bytes;
    }
    if (quota_asks_) {
        const auto count = parse_count(*quota_asks_);
        if (!count)
            return reject(ErrorCode::invalid, "--quota-asks {}: expected a number from 1 on",
                          *quota_asks_);
        resources.quota.asks = *count;
    }
    if (quota_bytes_) {
        const auto bytes = parse_bytes(*quota_bytes_);
        if (!bytes)
            return reject(ErrorCode::invalid, "--quota-bytes {}: expected a size, like 64M",
                          *quota_bytes_);
        resources.quota.bytes = *bytes;
    }
    if (quota_sessions_) {
        const auto count = parse_count(*quota_sessions_);
        if (!count)
            return reject(ErrorCode::invalid, "--quota-sessions {}: expected a number from 1 on",
                          *quota_sessions_);
        resources.quota.sessions = *count;
    }
    if (node_timeout_) {
        const auto timeout = parse_duration(*node_timeout_);
        if (!timeout || *timeout < limits::kNodeTimeoutMin)
            return reject(ErrorCode::invalid, "--node-timeout {}: expected a time from 1s on",
                          *node_timeout_);
        resources.node_timeout = *timeout;
    }
    return resources;
}

}  // namespace parley::app
