// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/time_options.h"

#include "app/limits.h"
#include "text/time_text.h"

namespace parley::app {

Result<std::optional<Millis>> read_timeout(std::string_view option,
                                           const std::optional<std::string>& text,
                                           std::optional<Millis> absent) {
    if (!text) return absent;
    if (*text == "0") return std::optional<Millis>();
    auto timeout = parse_duration(*text);
    if (!timeout)
        return reject(ErrorCode::invalid, "{} {}: {}", option, *text, timeout.error().message);
    return std::optional(*timeout);
}

Result<std::optional<Millis>> read_mcp_wait(std::string_view option,
                                            const std::optional<std::string>& text) {
    if (!text) return std::optional<Millis>();
    auto time = *text == "0" ? Result<Millis>(Millis::zero()) : parse_duration(*text);
    if (!time || *time > limits::kMcpHoldMax)
        return reject(ErrorCode::invalid, "{} {}: expected a time up to 24h, such as 50s", option,
                      *text);
    return std::optional(*time);
}

Result<std::optional<Millis>> read_mcp_timeout(std::string_view option,
                                               const std::optional<std::string>& text) {
    if (!text) return std::optional<Millis>();
    auto time = parse_duration(*text);
    if (!time || *time <= Millis::zero())
        return reject(ErrorCode::invalid, "{} {}: expected a time, such as 10m", option, *text);
    return std::optional(*time);
}

}  // namespace parley::app
