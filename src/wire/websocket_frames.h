// SPDX-License-Identifier: Apache-2.0
// WebSocket frames after RFC 6455, without extensions, for both sides: bytes in, messages and
// control frames out, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::wire {

enum class WsOpcode : std::uint8_t {
    continuation = 0,
    text = 1,
    binary = 2,
    close = 8,
    ping = 9,
    pong = 10
};

// RFC 6455's close codes.
enum class WsCode : std::uint16_t {
    normal = 1000,
    going_away = 1001,
    protocol_error = 1002,
    unsupported = 1003,
    none = 1005,
    lost = 1006,  // never on the wire: the connection broke
    bad_payload = 1007,
    policy = 1008,
    too_big = 1009,
    internal = 1011,
    restart = 1012,
    try_later = 1013,
};

using WsMask = std::array<char, 4>;

// The head of a whole message, or a control frame, as a server sends it; its payload follows.
void append_frame_head(std::string& out, WsOpcode opcode, std::size_t payload_bytes);
// The same with its payload, as a client sends it.
void append_masked_frame(std::string& out, WsOpcode opcode, std::string_view payload, WsMask mask);

struct WsFault {
    WsCode code = WsCode::protocol_error;
    std::string_view detail;  // a literal
};

class WsParser {
public:
    enum class Side : std::uint8_t { server, client };  // whose ears these are
    enum class Step : std::uint8_t {
        need_more,  // the input is used up
        text,       // a whole message, valid UTF-8; see take_message()
        binary,     // the same of the other kind, whose bytes are dropped
        ping,       // see control()
        pong,
        close,   // see close_code(), control()
        failed,  // see fault(); nothing more can be read
    };

    WsParser(Side side, std::size_t message_bytes_max)
        : side_(side), message_bytes_max_(message_bytes_max) {}

    // Takes what it can use from the front of `input`.
    [[nodiscard]] Step step(std::string_view& input);

    // Not below what the message in hand has already.
    void limit_messages(std::size_t bytes_max) { message_bytes_max_ = bytes_max; }
    // Of a message that is not whole yet.
    std::size_t unfinished_bytes() const { return message_.empty() ? 0 : message_.capacity(); }

    std::string take_message() { return std::move(message_); }
    // A ping's or pong's payload, a close's reason. Valid until the next step.
    std::string_view control() const { return control_; }
    std::uint16_t close_code() const { return close_code_; }  // `none` if there was no code
    const WsFault& fault() const { return fault_; }

private:
    bool read_head(std::string_view& input);
    std::size_t head_bytes() const;
    std::optional<WsFault> judge_head();
    void read_payload(std::string_view& input);
    std::optional<Step> finish_frame();
    std::optional<WsFault> judge_close();
    bool is_control() const { return opcode_ >= WsOpcode::close; }
    Step fail(WsFault fault);

    Side side_;
    std::size_t message_bytes_max_;
    std::array<char, 14> head_ = {};
    std::size_t head_read_ = 0;
    bool is_in_payload_ = false;
    // The frame in hand.
    WsOpcode opcode_ = WsOpcode::text;
    bool is_last_ = false;
    WsMask mask_ = {};  // turned so that its first byte is next
    std::uint64_t missing_ = 0;

    std::optional<WsOpcode> kind_;  // of the message in hand
    std::string message_;
    std::string control_;
    std::uint16_t close_code_ = 0;
    WsFault fault_;
};

}  // namespace parley::wire
