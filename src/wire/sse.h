// SPDX-License-Identifier: Apache-2.0
// Server-Sent Events: the writer, and an incremental parser that follows the HTML standard (CR, LF
// and CRLF end lines, a leading BOM is dropped, unknown fields are ignored). Bytes and values only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_function.h"

namespace parley::wire {

struct SseEvent {
    std::string_view data;
    std::string_view event = {};              // "" = "message", not written
    std::optional<std::string_view> id = {};  // "" is written: it clears the client's last id
    std::optional<std::uint64_t> retry_ms = {};
};

// Appends one event. Line breaks in the data become further data lines; id and event have theirs
// removed, since they cannot be carried.
void append_sse(std::string& out, const SseEvent& event);
// ": text\n\n"; keeps a connection warm and is seen by nobody.
void append_sse_comment(std::string& out, std::string_view text);

struct ReceivedSse {
    std::string event;  // "" means "message"
    std::string data;
    std::string last_id;  // the last id seen so far, as the standard keeps it
};

class SseParser {
public:
    SseParser();
    explicit SseParser(std::size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

    // Calls `sink` for each event that the bytes complete. Fails when one event grows over the
    // limit; the parser must not be used after that.
    [[nodiscard]] Result<void> feed(std::string_view bytes,
                                    UniqueFunction<void(ReceivedSse)>& sink);

private:
    void take_line(std::string_view line, UniqueFunction<void(ReceivedSse)>& sink);
    void take_field(std::string_view name, std::string_view value);

    std::size_t event_bytes_max_;
    std::string line_;  // an unfinished line
    std::string event_;
    std::string data_;
    std::string last_id_;
    bool has_data_ = false;
    bool after_cr_ = false;
    bool at_start_ = true;
};

}  // namespace parley::wire
