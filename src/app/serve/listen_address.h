// SPDX-License-Identifier: Apache-2.0
// HOST:PORT as `serve --listen` takes it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::app {

struct ListenAddress {
    std::string host;  // without brackets; empty: every address
    std::uint16_t port = 0;
};

std::optional<ListenAddress> parse_listen(std::string_view text);
// Whether only this machine reaches it.
bool is_loopback(std::string_view host);

}  // namespace parley::app
