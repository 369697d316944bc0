// SPDX-License-Identifier: Apache-2.0
#include "wire/sse.h"

#include <algorithm>
#include <utility>

#include "wire/limits.h"

namespace parley::wire {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Where the first CR or LF stands; find_first_of looks at every byte on its own.
std::size_t find_line_break(std::string_view text) {
    const std::size_t newline = text.find('\n');
    return std::min(newline, text.substr(0, newline).find('\r'));
}

void append_whole_line(std::string& out, std::string_view field, std::string_view value) {
    out.append(field).append(": ").append(value).push_back('\n');
}

void append_line(std::string& out, std::string_view field, std::string_view value) {
    if (find_line_break(value) == std::string_view::npos)
        return append_whole_line(out, field, value);
    std::string joined;
    std::copy_if(value.begin(), value.end(), std::back_inserter(joined),
                 [](char c) { return c != '\r' && c != '\n'; });
    append_whole_line(out, field, joined);
}

// CRLF counts as one break; `text` is left behind it.
std::string_view take_text_line(std::string_view& text) {
    const std::size_t end = std::min(find_line_break(text), text.size());
    const std::string_view line = text.substr(0, end);
    const bool crlf = text.substr(end).starts_with("\r\n");
    text.remove_prefix(std::min(end + (crlf ? 2 : 1), text.size()));
    return line;
}

}  // namespace

void append_sse(std::string& out, const SseEvent& event) {
    if (event.retry_ms) {
        out.append("retry: ").append(std::to_string(*event.retry_ms)).push_back('\n');
    }
    if (event.id) append_line(out, "id", *event.id);
    if (!event.event.empty()) append_line(out, "event", event.event);
    std::string_view rest = event.data;
    const bool ends_with_break = rest.empty() || rest.ends_with('\n') || rest.ends_with('\r');
    while (!rest.empty()) append_whole_line(out, "data", take_text_line(rest));
    if (ends_with_break) append_whole_line(out, "data", {});
    out.push_back('\n');
}

void append_sse_comment(std::string& out, std::string_view text) {
    append_line(out, "", text);
    out.push_back('\n');
}

SseParser::SseParser() : SseParser(limits::kSseEventBytes) {}

Result<void> SseParser::feed(std::string_view bytes, UniqueFunction<void(ReceivedSse)>& sink) {
    while (!bytes.empty()) {
        // The second half of a CRLF that the last call, or the last line, ended in.
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const std::size_t end = find_line_break(bytes);
        const std::string_view part = bytes.substr(0, end);
        if (line_.size() + part.size() + data_.size() > event_bytes_max_) {
            return reject(ErrorCode::too_large, "an event is larger than {} bytes",
                          event_bytes_max_);
        }
        if (end == std::string_view::npos) {
            line_.append(part);
            return {};
        }
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (line_.empty()) {
            take_line(part, sink);
        } else {
            line_.append(part);
            take_line(line_, sink);
            line_.clear();
        }
    }
    return {};
}

void SseParser::take_line(std::string_view line, UniqueFunction<void(ReceivedSse)>& sink) {
    if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
        line.remove_prefix(kByteOrderMark.size());
    }
    if (line.empty()) {
        if (has_data_) {
            data_.pop_back();  // the break after the last data line
            sink(ReceivedSse{
                .event = std::move(event_), .data = std::move(data_), .last_id = last_id_});
        }
        event_.clear();
        data_.clear();
        has_data_ = false;
        return;
    }
    if (line.front() == ':') return;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return take_field(line, {});
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
}

void SseParser::take_field(std::string_view name, std::string_view value) {
    if (name == "data") {
        data_.append(value).push_back('\n');
        has_data_ = true;
    } else if (name == "event") {
        event_ = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) last_id_ = value;
    }
}

}  // namespace parley::wire
