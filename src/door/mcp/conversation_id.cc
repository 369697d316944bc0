// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/conversation_id.h"

#include <fmt/format.h>

#include <array>

#include "door/limits.h"
#include "net/secret.h"
#include "text/json.h"
#include "text/json_object.h"
#include "wire/header_text.h"

namespace parley::mcp {

namespace {

constexpr std::size_t kTagLength = 8;
constexpr std::array<std::string_view, 3> kCapabilitiesUsed = {"elicitation", "tasks",
                                                               "extensions"};

std::string signature_of(std::string_view payload, const IdSeal& seal) {
    return net::hmac_sha256_hex(seal.key, fmt::format("mcp {}\n{}", payload, seal.right));
}

// As `initialize` says it, as far as it matters.
std::string introduction(const ClientInfo& client) {
    return json::object_text([&](json::Writer& out) {
        out.field("protocolVersion", client.version);
        out.key("clientInfo").begin_object().field("name", client.name).end_object();
        out.key("capabilities").begin_object();
        for (const std::string_view name : kCapabilitiesUsed) {
            const json::Value* used = member(client.capabilities, name);
            if (used == nullptr) continue;
            const std::string text = json::serialize(*used);
            if (text.size() <= limits::kMcpCapabilityBytes) out.key(name).raw(text);
        }
        out.end_object();
    });
}

}  // namespace

// TAG.INTRODUCTION.SIGNATURE
std::string write_conversation_id(const ClientInfo& client, const IdSeal& seal) {
    const std::string payload =
        fmt::format("{}.{}", net::random_secret(), wire::base64url_encode(introduction(client)));
    return fmt::format("{}.{}", payload, signature_of(payload, seal));
}

std::optional<ClientInfo> read_conversation_id(std::string_view id, const IdSeal& seal) {
    const std::size_t dot = id.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view payload = id.substr(0, dot);
    if (!net::equal_in_constant_time(id.substr(dot + 1), signature_of(payload, seal)))
        return std::nullopt;
    const auto text = wire::base64url_decode(payload.substr(payload.find('.') + 1));
    const auto said = text ? json::parse(*text) : Result<json::Value>();
    auto client = read_initialize(said.value_or(json::Value()));
    if (!client) return std::nullopt;
    return *std::move(client);
}

std::string_view tag_of(std::string_view conversation_id) {
    return conversation_id.substr(0, kTagLength);
}

}  // namespace parley::mcp
