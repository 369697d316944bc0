// SPDX-License-Identifier: Apache-2.0
// Structured log: one line per event on stderr, as logfmt for people or JSON for machines. Fields
// are names and plain values; what people wrote and secrets do not belong here, and callers pass
// none. One event name that repeats too often is held back and counted. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace parley {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { logfmt, json };

struct LogField {
    std::string_view name;
    std::string value;
};

class Log {
public:
    struct Options {
        int descriptor = 2;
        LogLevel level = LogLevel::info;
        LogFormat format = LogFormat::logfmt;
    };

    Log(const Clock& clock, Options options) : clock_(clock), options_(options) {}

    void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::debug, event, fields);
    }
    void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::info, event, fields);
    }
    void warning(std::string_view event, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::warning, event, fields);
    }
    void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
        write(LogLevel::error, event, fields);
    }
    bool wants(LogLevel level) const { return level >= options_.level; }

private:
    struct Rate {
        Mono since = {};
        int written = 0;
        std::uint64_t held_back = 0;
    };

    void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);
    // How many of this event were held back before; nullopt: hold back this one too.
    std::optional<std::uint64_t> admit(std::string_view event);

    const Clock& clock_;
    Options options_;
    std::mutex mutex_;
    std::map<std::string, Rate, std::less<>> rates_;
};

std::string_view to_string(LogLevel level);
std::optional<LogLevel> parse_log_level(std::string_view text);

}  // namespace parley
