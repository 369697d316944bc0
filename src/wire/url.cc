// SPDX-License-Identifier: Apache-2.0
#include "wire/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "wire/http_message.h"
#include "wire/limits.h"

namespace parley::wire {

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

enum class Plus { is_plus, is_space };

std::optional<std::string> decode(std::string_view text, Plus plus) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_value(text[i + 1]);
            const int low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus == Plus::is_space) {
            c = ' ';
        }
        if (c == '\0') return std::nullopt;
        out.push_back(c);
    }
    return out;
}

bool is_unreserved(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

struct SchemeInfo {
    std::string_view prefix;
    Url::Scheme scheme;
    std::uint16_t port;
};
constexpr SchemeInfo kSchemes[] = {
    {"http://", Url::Scheme::tcp, 80},
    {"https://", Url::Scheme::tls, 443},
    {"ws://", Url::Scheme::tcp, 80},
    {"wss://", Url::Scheme::tls, 443},
};

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

// A name or an address of the fourth or, in brackets, the sixth version, with its zone. Others
// could not be written back, or would break the line of the Host field.
bool is_host(std::string_view host, bool is_bracketed) {
    if (is_bracketed && host.find(':') == std::string_view::npos) return false;
    const std::string_view marks = is_bracketed ? ":.%-_~" : ".-_~%";
    return std::all_of(host.begin(), host.end(), [marks](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return is_letter || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
    });
}

// "host", "host:port", "[::1]:port".
Result<void> read_authority(std::string_view authority, Url& url) {
    if (authority.find('@') != std::string_view::npos) {
        return reject(ErrorCode::invalid, "an address must not carry a user or password");
    }
    std::string_view host = authority;
    std::string_view port;
    const bool is_bracketed = authority.starts_with('[');
    if (is_bracketed) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) {
            return reject(ErrorCode::invalid, "the address lacks a ']'");
        }
        host = authority.substr(1, close - 1);
        port = authority.substr(close + 1);
    } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
        host = authority.substr(0, colon);
        port = authority.substr(colon);
    }
    if (host.empty()) return reject(ErrorCode::invalid, "the address names no host");
    if (!is_host(host, is_bracketed)) {
        return reject(ErrorCode::invalid,
                      "the host of an address has letters, digits, dots and hyphens, or is an IPv6 "
                      "address in brackets; an international name is written as xn--…");
    }
    url.host = host;
    if (port.empty()) return {};
    const auto number = port.front() == ':' ? parse_port(port.substr(1)) : std::nullopt;
    if (!number) return reject(ErrorCode::invalid, "the port must be a number from 1 to 65535");
    url.port = *number;
    return {};
}

std::uint16_t default_port(Url::Scheme scheme) {
    return scheme == Url::Scheme::tls ? 443 : 80;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
    return decode(text, Plus::is_plus);
}

std::optional<std::string> form_decode(std::string_view text) {
    return decode(text, Plus::is_space);
}

std::string percent_encode(std::string_view text) {
    static constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            out.push_back(c);
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out.push_back('%');
        out.push_back(kHex[byte >> 4U]);
        out.push_back(kHex[byte & 15U]);
    }
    return out;
}

std::optional<Target> split_target(std::string_view target) {
    Target parts;
    if (target.find('#') != std::string_view::npos) return std::nullopt;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!equals_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        const std::size_t end = std::min(target.find_first_of("/?"), target.size());
        parts.authority = target.substr(0, end);
        if (parts.authority.empty()) return std::nullopt;
        target.remove_prefix(end);
        if (target.empty() || target.front() == '?') {
            parts.path = "/";
            if (!target.empty()) parts.query = target.substr(1);
            return parts;
        }
        break;
    }
    if (target == "*") {
        parts.path = target;
        return parts;
    }
    if (!target.starts_with('/')) return std::nullopt;
    const std::size_t question = target.find('?');
    parts.path = target.substr(0, question);
    if (question != std::string_view::npos) parts.query = target.substr(question + 1);
    return parts;
}

Result<Query> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (pair.empty()) continue;
        if (query.parameters_.size() == limits::kQueryParameters) {
            return reject(ErrorCode::too_large, "the query has more than {} parameters",
                          limits::kQueryParameters);
        }
        const std::size_t equals = pair.find('=');
        auto name = form_decode(pair.substr(0, equals));
        auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                      : form_decode(pair.substr(equals + 1));
        if (!name || !value) {
            return reject(ErrorCode::invalid, "the query has a broken percent escape");
        }
        query.parameters_.emplace_back(std::move(*name), std::move(*value));
    }
    return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const {
    for (const auto& [key, value] : parameters_) {
        if (key == name) return value;
    }
    return std::nullopt;
}

Result<Url> Url::parse(std::string_view text) {
    Url url;
    if (text.starts_with("unix:")) {
        url.scheme = Scheme::unix_socket;
        url.host = "localhost";
        url.socket_path = text.substr(5);
        if (url.socket_path.starts_with("//")) url.socket_path.erase(0, 2);
        if (url.socket_path.empty()) {
            return reject(ErrorCode::invalid, "\"unix:\" must be followed by the socket's path");
        }
        return url;
    }
    for (const SchemeInfo& info : kSchemes) {
        if (!equals_ignoring_case(text.substr(0, info.prefix.size()), info.prefix)) continue;
        text.remove_prefix(info.prefix.size());
        url.scheme = info.scheme;
        url.port = info.port;
        const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
        CHECK_OK(read_authority(text.substr(0, end), url));
        url.target = text.substr(end, text.find('#') - end);
        const bool plain = std::all_of(url.target.begin(), url.target.end(),
                                       [](char c) { return c > 0x20 && c < 0x7f; });
        if (!plain) return reject(ErrorCode::invalid, "the address has a character to be escaped");
        return url;
    }
    return reject(ErrorCode::invalid,
                  "an address is http://HOST:PORT, https://HOST:PORT or unix:PATH");
}

std::string Url::host_field() const {
    if (scheme == Scheme::unix_socket) return "localhost";
    const bool v6 = host.find(':') != std::string::npos;
    std::string field = v6 ? fmt::format("[{}]", host) : host;
    if (port != default_port(scheme)) field += fmt::format(":{}", port);
    return field;
}

std::string Url::str() const {
    if (scheme == Scheme::unix_socket) return "unix:" + socket_path;
    return fmt::format("{}://{}{}", scheme == Scheme::tls ? "https" : "http", host_field(), target);
}

}  // namespace parley::wire
