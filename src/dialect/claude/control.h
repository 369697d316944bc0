// SPDX-License-Identifier: Apache-2.0
// Claude Code driven over its standard streams: the lines that it writes, and those that a host
// writes to it. One JSON object a line. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "dialect/claude/permission.h"
#include "text/json.h"

namespace parley::claude {

// What the host writes; each ends with its newline.
std::string initialize_line(std::string_view request_id);
// `id` is a UUID; Heard brings it back.
std::string user_line(std::string_view text, std::string_view id);
std::string interrupt_line(std::string_view request_id);
std::string reply_line(std::string_view request_id, std::string_view response);  // JSON
std::string refusal_line(std::string_view request_id, std::string_view error);

// Responses of can_use_tool.
std::string allow_response(std::string_view updated_input, std::string_view updated_permissions);
std::string deny_response(std::string_view message, bool interrupts);

// What the CLI wants from its host.
struct ToolWish {
    PermissionWish permission;  // with the tool's name and input
    std::string call_id;
};
struct CallbackWish {
    std::string callback_id;
    json::Value input;
};
struct FormWish {
    std::string server;
    std::string message;
    std::string mode;
    std::string url;
    json::Value schema;
};
struct UnknownWish {
    std::string subtype;
};
struct ControlRequest {
    std::string id;
    std::variant<UnknownWish, ToolWish, CallbackWish, FormWish> wish;
};
// It wants it no longer.
struct ControlCancel {
    std::string id;
};
// The answer to a request of the host.
struct ControlReply {
    std::string id;
    std::string error;  // empty: it was done
};
struct SessionBegan {
    std::string session;
    std::string version;
};
struct TurnEnded {
    bool is_error = false;
    bool is_interrupted = false;
    std::string why = {};     // of an error
    std::string result = {};  // Claude's last words
};
// It has read this message of the host's.
struct Heard {
    std::string id;
};
// A part of the conversation (stream.h).
struct ShownTurn {
    json::Value message;
};
struct Noise {};

using CliLine = std::variant<Noise, ControlRequest, ControlCancel, ControlReply, SessionBegan,
                             TurnEnded, Heard, ShownTurn>;
// Lines of a kind that is not known are noise; what is not a JSON object is an Error.
[[nodiscard]] Result<CliLine> read_cli_line(std::string_view line);

// The callback that is registered for notifications.
inline constexpr std::string_view kNotificationCallback = "parley-notification";

}  // namespace parley::claude
