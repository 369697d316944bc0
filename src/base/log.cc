// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include <iterator>
#include <utility>

#include "base/limits.h"

namespace parley {

namespace {

// Both formats quote in the same way, so that no value can forge a field or a line.
void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
        } else {
            out += c;
        }
    }
    out += '"';
}

bool is_plain(std::string_view text) {
    if (text.empty()) return false;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte >= 0x7f || c == '"' || c == '=' || c == '\\') return false;
    }
    return true;
}

class Line {
public:
    explicit Line(LogFormat format) : format_(format) {
        if (format_ == LogFormat::json) text_ = "{";
    }
    void add(std::string_view name, std::string_view value) {
        if (text_.size() > 1) text_ += format_ == LogFormat::json ? "," : " ";
        if (format_ == LogFormat::json) {
            append_quoted(text_, name);
            text_ += ':';
            append_quoted(text_, value);
            return;
        }
        text_ += name;
        text_ += '=';
        if (is_plain(value)) {
            text_ += value;
        } else {
            append_quoted(text_, value);
        }
    }
    std::string finish() && {
        text_ += format_ == LogFormat::json ? "}\n" : "\n";
        return std::move(text_);
    }

private:
    LogFormat format_;
    std::string text_;
};

}  // namespace

std::string_view to_string(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "error";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
    for (const LogLevel level :
         {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error})
        if (to_string(level) == text) return level;
    return std::nullopt;
}

std::optional<std::uint64_t> Log::admit(std::string_view event) {
    auto found = rates_.find(event);
    if (found == rates_.end()) found = rates_.emplace(event, Rate{}).first;
    Rate& rate = found->second;
    const Mono now = clock_.mono();
    if (now - rate.since >= std::chrono::seconds(1)) {
        rate.since = now;
        rate.written = 0;
    }
    if (rate.written >= limits::kLogLinesPerSecond) {
        ++rate.held_back;
        return std::nullopt;
    }
    ++rate.written;
    return std::exchange(rate.held_back, 0);
}

void Log::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    if (!wants(level)) return;
    const std::lock_guard lock(mutex_);
    const auto held_back = admit(event);
    if (!held_back) return;
    const Instant at = clock_.wall();
    Line line(options_.format);
    line.add("time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(at)),
                                 at.time_since_epoch().count() % 1000));
    line.add("level", to_string(level));
    line.add("event", event);
    for (const LogField& field : fields) line.add(field.name, field.value);
    if (*held_back > 0) line.add("held_back", std::to_string(*held_back));
    const std::string text = std::move(line).finish();
    // A log that cannot be written must not stop the program; there is nowhere to say it.
    [[maybe_unused]] const auto written = ::write(options_.descriptor, text.data(), text.size());
}

}  // namespace parley
