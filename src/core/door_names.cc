// SPDX-License-Identifier: Apache-2.0
#include "core/door_names.h"

#include <fmt/format.h>

#include "text/safe_text.h"

namespace parley::door_names {

bool is_front(std::string_view door) {
    return door == kMcp || door == kClaude || door == kCodex || door == kOpenCode ||
           door == kTerminal;
}

std::string phrase(std::string_view door) {
    if (door == kNative) return "through the API";
    if (door == kTrpc) return "through tRPC";
    if (door == kToolResult || door == kChatSocket) return "in the chat";
    if (door == kOpenCode) return "through OpenCode";
    if (door == kMcp) return "through MCP";
    if (door == kClaude) return "in Claude Code";
    if (door == kCodex) return "in Codex";
    if (door == kTerminal) return "in the terminal";
    if (door == kPage) return "in the web page";
    if (door == kProgram) return "in the program";
    return fmt::format("through {}", escape_unsafe(door));
}

}  // namespace parley::door_names
