// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in_links.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>

#include "net/secret.h"
#include "wire/header_text.h"

namespace parley {

namespace {

constexpr std::size_t kSignatureLength = 32;  // of hex digits: 128 bits
constexpr std::size_t kNonceLength = 16;
constexpr char kBetween = '\n';

// A link is read by people and drawn as squares: no more than it takes.
std::string signature_of(std::string_view text, std::string_view key) {
    return net::hmac_sha256_hex(key, fmt::format("sign-in {}", text)).substr(0, kSignatureLength);
}

std::optional<std::string_view> take_field(std::string_view& text) {
    const std::size_t end = text.find(kBetween);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end + 1);
    return field;
}

std::optional<Role> role_of(std::string_view name) {
    for (const Role role : {Role::agent, Role::responder, Role::owner})
        if (to_string(role) == name) return role;
    return std::nullopt;
}

}  // namespace

std::string write_invitation(const Invitation& invitation, std::string_view key) {
    // The person's name is the last: it alone may hold anything.
    const std::string text =
        fmt::format("{1:x}{0}{2}{0}{3}{0}{4}{0}{5}{0}{6}", kBetween,
                    invitation.expires_at.time_since_epoch().count(), to_string(invitation.role),
                    invitation.is_known ? 1 : 0, invitation.principal,
                    net::random_secret().substr(0, kNonceLength), invitation.person);
    return fmt::format("{}.{}", wire::base64url_encode(text), signature_of(text, key));
}

std::optional<Invitation> read_invitation(std::string_view secret, std::string_view key,
                                          Instant now) {
    const std::size_t dot = secret.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto text = wire::base64url_decode(secret.substr(0, dot));
    if (!text || !net::equal_in_constant_time(secret.substr(dot + 1), signature_of(*text, key)))
        return std::nullopt;
    std::string_view rest = *text;
    std::array<std::string_view, 5> fields;
    for (std::string_view& field : fields) {
        const auto taken = take_field(rest);
        if (!taken) return std::nullopt;
        field = *taken;
    }
    const auto& [expires, role, is_known, principal, nonce] = fields;
    std::int64_t expires_ms = 0;
    const char* const end = expires.data() + expires.size();
    const auto [at, error] = std::from_chars(expires.data(), end, expires_ms, 16);
    const auto invited_as = role_of(role);
    if (error != std::errc() || at != end || !invited_as) return std::nullopt;
    Invitation invitation{.role = *invited_as,
                          .principal = std::string(principal),
                          .person = std::string(rest),
                          .is_known = is_known == "1",
                          .expires_at = Instant(Millis(expires_ms))};
    if (invitation.expires_at <= now) return std::nullopt;
    return invitation;
}

}  // namespace parley
