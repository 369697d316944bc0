// SPDX-License-Identifier: Apache-2.0
#include "wire/http_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/assert.h"

namespace parley::wire {

namespace {

constexpr std::array<std::pair<int, std::string_view>, 40> kReasons = {{
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

void append_value(std::string& out, std::string_view value) {
    const std::size_t start = out.size();
    out.append(value);
    std::replace_if(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), is_control, ' ');
}

void append_decimal(std::string& out, std::uint64_t value) {
    std::array<char, 20> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    ASSERT(error == std::errc());
    out.append(digits.data(), end);
}

bool is_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               c == '-' || c == '_';
    });
}

}  // namespace

HeaderBlock& HeaderBlock::add(std::string_view name, std::string_view value) {
    append_field(text_, name, value);
    return *this;
}

HeaderBlock& HeaderBlock::add(std::string_view name, std::uint64_t value) {
    append_field(text_, name, value);
    return *this;
}

HeaderBlock& HeaderBlock::append(const HeaderBlock& other) {
    text_.append(other.text_);
    return *this;
}

std::string_view reason_phrase(int status) {
    const auto* found =
        std::lower_bound(kReasons.begin(), kReasons.end(), status,
                         [](const auto& entry, int wanted) { return entry.first < wanted; });
    if (found == kReasons.end() || found->first != status) return "Unknown";
    return found->second;
}

void append_status_line(std::string& out, int status) {
    ASSERT(status >= 100 && status <= 599);
    if (status == 200) {
        out.append("HTTP/1.1 200 OK\r\n");
        return;
    }
    out.append("HTTP/1.1 ");
    append_decimal(out, static_cast<std::uint64_t>(status));
    out.push_back(' ');
    out.append(reason_phrase(status));
    out.append("\r\n");
}

void append_request_line(std::string& out, std::string_view method, std::string_view target) {
    out.append(method);
    out.push_back(' ');
    const std::size_t start = out.size();
    out.append(target);
    const auto breaks = [](char c) { return is_control(c) || c == ' ' || c == '\t'; };
    ASSERT(std::none_of(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), breaks));
    out.append(" HTTP/1.1\r\n");
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    ASSERT(is_name(name));
    out.append(name);
    out.append(": ");
    append_value(out, value);
    out.append("\r\n");
}

void append_field(std::string& out, std::string_view name, std::uint64_t value) {
    ASSERT(is_name(name));
    out.append(name);
    out.append(": ");
    append_decimal(out, value);
    out.append("\r\n");
}

void append_chunk(std::string& out, std::string_view data) {
    ASSERT(!data.empty());
    std::array<char, 16> digits;
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), data.size(), 16);
    ASSERT(error == std::errc());
    out.append(digits.data(), end);
    out.append("\r\n");
    out.append(data);
    out.append("\r\n");
}

}  // namespace parley::wire
