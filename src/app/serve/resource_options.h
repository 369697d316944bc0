// SPDX-License-Identifier: Apache-2.0
// How much `parley serve` may hold, in all and for one agent, and how long a node may be silent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "base/result.h"
#include "broker/limits.h"
#include "broker/quota.h"

namespace parley::app {

struct Resources {
    std::size_t memory_max = 0;
    Quota quota = {};
    Millis node_timeout = limits::kNodeTimeout;
};

class ResourceOptions {
public:
    std::vector<OptionSpec> specs();
    [[nodiscard]] Result<Resources> read() const;

private:
    std::optional<std::string> memory_max_;
    std::optional<std::string> quota_asks_;
    std::optional<std::string> quota_bytes_;
    std::optional<std::string> quota_sessions_;
    std::optional<std::string> node_timeout_;
};

// As many open files as the system lets this process have.
void raise_descriptor_limit();

// "512M", "2G", "65536": bytes; K, M and G are powers of 1024.
std::optional<std::size_t> parse_bytes(std::string_view text);

}  // namespace parley::app
