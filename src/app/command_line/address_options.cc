// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/address_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "wire/url.h"

namespace parley::app {

namespace {

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port > 0;
}

bool is_name(std::string_view text) {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    return !text.empty() && !text.starts_with('.') && !text.starts_with('-') &&
           text.find_first_not_of(kLetters) == std::string_view::npos;
}

bool is_bracketed(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdefABCDEF:.";
    return text.size() > 2 && text.starts_with('[') && text.ends_with(']') &&
           text.substr(1, text.size() - 2).find_first_not_of(kDigits) == std::string_view::npos;
}

// The host and what is written behind its colon, or nothing.
struct Authority {
    std::string_view host;
    std::string_view port;
};
Authority split(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || text.ends_with(']')) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_host(std::string_view text) {
    return is_name(text) || is_bracketed(text);
}

}  // namespace

Result<void> check_host(std::string_view text) {
    const Authority authority = split(text);
    const bool has_port = authority.host.size() < text.size();
    if (is_host(authority.host) && (!has_port || is_port(authority.port))) return {};
    return reject(ErrorCode::invalid,
                  "{}: expected HOST or HOST:PORT, like parley.example.org, without http:// and "
                  "without a path",
                  text);
}

Result<void> check_origin(std::string_view text) {
    const auto scheme = text.find("://");
    const std::string_view rest =
        scheme == std::string_view::npos ? std::string_view() : text.substr(scheme + 3);
    const Authority authority = split(rest);
    const bool has_port = authority.host.size() < rest.size();
    const bool is_good = is_name(text.substr(0, std::min(scheme, text.size()))) &&
                         is_host(authority.host) &&
                         (!has_port || authority.port == "*" || is_port(authority.port));
    if (is_good) return {};
    return reject(ErrorCode::invalid,
                  "{}: expected an origin, like https://app.example.org or 'http://localhost:*', "
                  "without a path",
                  text);
}

Result<std::string> check_base_url(std::string_view text) {
    while (text.ends_with('/')) text.remove_suffix(1);
    const bool is_web = text.starts_with("http://") || text.starts_with("https://");
    const auto url = wire::Url::parse(text);
    if (is_web && url && url->target.empty() && check_host(text.substr(text.find("://") + 3)))
        return std::string(text);
    return reject(ErrorCode::invalid,
                  "{}: expected how a browser reaches the broker, like https://HOST or "
                  "https://HOST:PORT, without a path",
                  text);
}

}  // namespace parley::app
