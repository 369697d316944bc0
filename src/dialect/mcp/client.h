// SPDX-License-Identifier: Apache-2.0
// Which MCP a client speaks and what it can do. There are two eras: until 2025-11-25 a connection
// begins with `initialize`; since 2026-07-28 every request says it in its `_meta`. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/json.h"

namespace parley::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
// The newest first.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18",
                                                                    "2025-03-26", "2024-11-05"};
// Of a request over HTTP that does not say.
inline constexpr std::string_view kAssumedVersion = "2025-03-26";

bool is_legacy_version(std::string_view version);

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaRelatedTask = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// Errors of the protocol beside those of JSON-RPC.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
inline constexpr int kTooManyCalls = -32029;  // one of ours; over HTTP it is 429

enum class Era : std::uint8_t { legacy, modern };

struct ClientInfo {
    Era era = Era::legacy;
    std::string version = std::string(kAssumedVersion);
    std::string name = {};          // what it calls itself; may be empty
    json::Value capabilities = {};  // as it sent them
    bool has_forms = false;         // elicitation in form mode
    bool has_urls = false;          // elicitation by an address to open
    bool has_tasks_extension = false;

    // Versions compare as their texts do.
    bool is_at_least(std::string_view other) const { return version >= other; }
};

// What Claude Code calls itself.
inline constexpr std::string_view kClaudeCode = "claude-code";

// The params of `initialize`. A version that is not ours is answered with our newest.
[[nodiscard]] Result<ClientInfo> read_initialize(const json::Value& params);

// Whether the params carry the `_meta` of the modern era.
bool is_modern(const json::Value& params);
// The version that such params name; "" if it is no string.
std::string_view modern_version(const json::Value& params);
// Who sends a modern request. The version is not checked here.
[[nodiscard]] Result<ClientInfo> read_meta(const json::Value& params);

// A member of `value`, if that is an object and has it.
const json::Value* member(const json::Value& value, std::string_view name);
// The same if it is a string.
std::optional<std::string_view> text_member(const json::Value& value, std::string_view name);

}  // namespace parley::mcp
