// SPDX-License-Identifier: Apache-2.0
#include "app/serve/keep_options.h"

#include "text/time_text.h"

namespace parley::app {

std::vector<OptionSpec> KeepOptions::specs() {
    return {{.names = "--keep-asks",
             .value = "TIME",
             .help = "How long asks are kept after they were settled, e.g. 90d (default forever). "
                     "Events go with them",
             .target = &asks_,
             .setting = "retention.asks"},
            {.names = "--keep-sessions",
             .value = "TIME",
             .help = "How long sessions are kept after their end, once their asks and messages "
                     "have gone (default forever)",
             .target = &sessions_,
             .setting = "retention.sessions"},
            {.names = "--keep-messages",
             .value = "TIME",
             .help = "How long messages are kept that the agent has taken (default forever)",
             .target = &messages_,
             .setting = "retention.messages"}};
}

Result<std::optional<Millis>> read_keep_time(std::string_view option,
                                             const std::optional<std::string>& text) {
    if (!text || *text == "forever") return std::nullopt;
    const auto time = parse_duration(*text);
    if (!time)
        return reject(ErrorCode::invalid, "{} {}: {}, or \"forever\"", option, *text,
                      time.error().message);
    return *time;
}

Result<KeepTimes> KeepOptions::read() const {
    TRY(asks, read_keep_time("--keep-asks", asks_));
    TRY(sessions, read_keep_time("--keep-sessions", sessions_));
    TRY(messages, read_keep_time("--keep-messages", messages_));
    return KeepTimes{.asks = asks, .sessions = sessions, .messages = messages};
}

}  // namespace parley::app
