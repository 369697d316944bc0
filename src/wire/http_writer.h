// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 heads and chunks as text. Nothing written here can break out of its line: control
// characters in a value become spaces, and a bad name is our bug.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/http_message.h"

namespace parley::wire {

// Header lines, already in wire form.
class HeaderBlock {
public:
    HeaderBlock& add(std::string_view name, std::string_view value);
    HeaderBlock& add(std::string_view name, std::uint64_t value);
    HeaderBlock& append(const HeaderBlock& other);
    bool empty() const { return text_.empty(); }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

std::string_view reason_phrase(int status);  // "Unknown" for what has no name

// "HTTP/1.1 200 OK\r\n"; fields follow, then end_head().
void append_status_line(std::string& out, int status);
void append_request_line(std::string& out, std::string_view method, std::string_view target);
void append_field(std::string& out, std::string_view name, std::string_view value);
void append_field(std::string& out, std::string_view name, std::uint64_t value);
inline void end_head(std::string& out) {
    out.append("\r\n");
}

// One chunk of a chunked body; `data` must not be empty, since that would be the end.
void append_chunk(std::string& out, std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace parley::wire
