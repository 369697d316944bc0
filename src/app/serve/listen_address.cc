// SPDX-License-Identifier: Apache-2.0
#include "app/serve/listen_address.h"

#include <charconv>
#include <system_error>

namespace parley::app {

std::optional<ListenAddress> parse_listen(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    ListenAddress address{.host = std::string(host)};
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return address;
}

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace parley::app
