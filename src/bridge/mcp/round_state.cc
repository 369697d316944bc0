// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/round_state.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "net/secret.h"

namespace parley::mcp {

namespace {

std::string signature(std::string_view payload, const Seal& seal) {
    return net::hmac_sha256_hex(seal.key, fmt::format("{}\n{}", payload, seal.principal));
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = text.find('.');
        parts.push_back(text.substr(0, dot));
        if (dot == std::string_view::npos) return parts;
        text.remove_prefix(dot + 1);
    }
}

std::optional<RoundState> parse(std::string_view payload) {
    const auto parts = split(payload);
    if (parts.size() != 4) return std::nullopt;
    const auto ask = AskId::parse(parts[0]);
    const auto round = parse_number<int>(parts[1]);
    const auto expires = parse_number<std::int64_t>(parts[2]);
    if (!ask || !round || !expires) return std::nullopt;
    return RoundState{.ask = *ask,
                      .round = *round,
                      .expires = Instant(Millis(*expires)),
                      .digest = std::string(parts[3])};
}

}  // namespace

std::string digest_of(std::string_view arguments) {
    return net::sha256_hex(arguments);
}

std::string sign(const RoundState& state, const Seal& seal) {
    const std::string payload = fmt::format("{}.{}.{}.{}", state.ask.str(), state.round,
                                            state.expires.time_since_epoch().count(), state.digest);
    return payload + "." + signature(payload, seal);
}

Result<RoundState> verify(std::string_view text, const Seal& seal, Instant now) {
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos)
        return reject(ErrorCode::invalid, "this requestState is not one of ours");
    const std::string_view payload = text.substr(0, dot);
    if (!net::equal_in_constant_time(text.substr(dot + 1), signature(payload, seal)))
        return reject(ErrorCode::invalid, "this requestState is not one of ours");
    auto state = parse(payload);
    if (!state) return reject(ErrorCode::invalid, "this requestState is not one of ours");
    if (state->expires < now) return reject(ErrorCode::invalid, "this requestState has run out");
    return *std::move(state);
}

}  // namespace parley::mcp
