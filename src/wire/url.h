// SPDX-License-Identifier: Apache-2.0
// Request targets, queries and server addresses. Decoding is strict: a broken escape or a NUL is an
// error, never passed on half-decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace parley::wire {

std::optional<std::string> percent_decode(std::string_view text);
// The same, and '+' is a space: form encoding, as in queries.
std::optional<std::string> form_decode(std::string_view text);
// Escapes all but RFC 3986's unreserved characters.
std::string percent_encode(std::string_view text);

// A request target taken apart, nothing decoded. Absolute form ("http://host/path") gives the
// authority too.
struct Target {
    std::string_view authority;  // "" unless absolute form
    std::string_view path;       // "/…", or "*" for OPTIONS
    std::string_view query;      // without '?'
};
std::optional<Target> split_target(std::string_view target);

// A query's parameters, decoded, in order.
class Query {
public:
    [[nodiscard]] static Result<Query> parse(std::string_view text);
    // The first of that name.
    std::optional<std::string_view> find(std::string_view name) const;
    std::string_view get(std::string_view name) const { return find(name).value_or(""); }
    const std::vector<std::pair<std::string, std::string>>& all() const { return parameters_; }

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

// Where a server is: "http://host:port/base", "https://…", "ws://…", "wss://…" or "unix:/path".
struct Url {
    enum class Scheme : std::uint8_t { tcp, tls, unix_socket };

    Scheme scheme = Scheme::tcp;
    std::string host;         // without brackets; "localhost" for a socket
    std::uint16_t port = 0;   // the scheme's own when not written
    std::string socket_path;  // only for unix_socket
    std::string target;       // path and query, "" if none was written

    [[nodiscard]] static Result<Url> parse(std::string_view text);
    std::string host_field() const;  // what goes into Host
    std::string str() const;

    bool operator==(const Url&) const = default;
};

}  // namespace parley::wire
