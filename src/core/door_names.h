// SPDX-License-Identifier: Apache-2.0
// The names of our doors, as they stand in settlements and on the wire, and what people call them.
#pragma once

#include <string>
#include <string_view>

namespace parley::door_names {

inline constexpr std::string_view kNative = "native";
inline constexpr std::string_view kTrpc = "trpc";
inline constexpr std::string_view kToolResult = "tool-result";
inline constexpr std::string_view kChatSocket = "chat-socket";
inline constexpr std::string_view kOpenCode = "opencode";
inline constexpr std::string_view kMcp = "mcp";
inline constexpr std::string_view kClaude = "claude";
inline constexpr std::string_view kCodex = "codex";
inline constexpr std::string_view kTerminal = "terminal";
inline constexpr std::string_view kPage = "page";
inline constexpr std::string_view kProgram = "program";  // the C++ API
inline constexpr std::string_view kTimer = "timer";      // not a door: the deadline passed

// A program of ours that reaches the broker through the native door is a door itself, and says so
// with this header of its requests.
inline constexpr std::string_view kHeader = "Parley-Door";
// The ones that can be such a program.
bool is_front(std::string_view door);

// "in the terminal", "through OpenCode"; "through <name>" for one that we do not know.
std::string phrase(std::string_view door);

}  // namespace parley::door_names
