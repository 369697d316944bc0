// SPDX-License-Identifier: Apache-2.0
#include "wire/websocket_frames.h"

#include <algorithm>
#include <cstring>

#include "text/utf8.h"
#include "wire/limits.h"

namespace parley::wire {

namespace {

constexpr unsigned kLast = 0x80;      // first byte: no continuation follows
constexpr unsigned kReserved = 0x70;  // first byte
constexpr unsigned kMasked = 0x80;    // second byte
constexpr std::size_t kTwoByteSize = 126;
constexpr std::size_t kEightByteSize = 127;

void append_head(std::string& out, WsOpcode opcode, std::size_t payload_bytes, unsigned masked) {
    out += static_cast<char>(kLast | static_cast<unsigned>(opcode));
    const auto append_size = [&](int bytes) {
        for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(payload_bytes >> (8 * i));
    };
    if (payload_bytes < kTwoByteSize) {
        out += static_cast<char>(masked | payload_bytes);
    } else if (payload_bytes <= 0xffff) {
        out += static_cast<char>(masked | kTwoByteSize);
        append_size(2);
    } else {
        out += static_cast<char>(masked | kEightByteSize);
        append_size(8);
    }
}

// Masks or unmasks what stands in `text` from `start` on.
void apply_mask(std::string& text, std::size_t start, WsMask mask) {
    std::array<char, 8> twice;
    std::copy_n(mask.begin(), 4, twice.begin());
    std::copy_n(mask.begin(), 4, twice.begin() + 4);
    std::uint64_t key = 0;
    std::memcpy(&key, twice.data(), sizeof key);
    char* at = text.data() + start;
    std::size_t left = text.size() - start;
    for (; left >= sizeof key; at += sizeof key, left -= sizeof key) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        word ^= key;
        std::memcpy(at, &word, sizeof word);
    }
    for (std::size_t i = 0; i < left; ++i) at[i] = static_cast<char>(at[i] ^ twice[i]);
}

bool is_known(WsOpcode opcode) {
    return opcode <= WsOpcode::binary || (opcode >= WsOpcode::close && opcode <= WsOpcode::pong);
}

// Those that may stand in a close frame.
bool is_close_code(unsigned code) {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

}  // namespace

void append_frame_head(std::string& out, WsOpcode opcode, std::size_t payload_bytes) {
    append_head(out, opcode, payload_bytes, 0);
}

void append_masked_frame(std::string& out, WsOpcode opcode, std::string_view payload, WsMask mask) {
    append_head(out, opcode, payload.size(), kMasked);
    out.append(mask.data(), mask.size());
    const std::size_t start = out.size();
    out.append(payload);
    apply_mask(out, start, mask);
}

WsParser::Step WsParser::step(std::string_view& input) {
    while (true) {
        if (!is_in_payload_) {
            if (!read_head(input)) return Step::need_more;
            if (const auto fault = judge_head()) return fail(*fault);
            is_in_payload_ = true;
        }
        read_payload(input);
        if (missing_ > 0) return Step::need_more;
        is_in_payload_ = false;
        head_read_ = 0;
        if (const auto done = finish_frame()) return *done;
    }
}

WsParser::Step WsParser::fail(WsFault fault) {
    fault_ = fault;
    return Step::failed;
}

// As far as it is known by now.
std::size_t WsParser::head_bytes() const {
    if (head_read_ < 2) return 2;
    const unsigned second = static_cast<unsigned char>(head_[1]);
    const unsigned size = second & 127U;
    const std::size_t more = size == kTwoByteSize ? 2 : size == kEightByteSize ? 8 : 0;
    return 2 + more + ((second & kMasked) != 0 ? 4 : 0);
}

bool WsParser::read_head(std::string_view& input) {
    while (head_read_ < head_bytes()) {
        const std::size_t count = std::min(input.size(), head_bytes() - head_read_);
        if (count == 0) return false;
        std::copy_n(input.begin(), count, head_.begin() + static_cast<std::ptrdiff_t>(head_read_));
        head_read_ += count;
        input.remove_prefix(count);
    }
    return true;
}

std::optional<WsFault> WsParser::judge_head() {
    const auto fault = [](std::string_view detail, WsCode code = WsCode::protocol_error) {
        return WsFault{code, detail};
    };
    const unsigned first = static_cast<unsigned char>(head_[0]);
    const unsigned second = static_cast<unsigned char>(head_[1]);
    opcode_ = static_cast<WsOpcode>(first & 15U);
    is_last_ = (first & kLast) != 0;
    if ((first & kReserved) != 0) return fault("a reserved bit is set");
    if (!is_known(opcode_)) return fault("an unknown opcode");
    const bool is_masked = (second & kMasked) != 0;
    if (is_masked != (side_ == Side::server))
        return fault(is_masked ? "a masked frame of a server" : "a frame without a mask");

    const unsigned short_size = second & 127U;
    const std::size_t end = head_read_ - (is_masked ? mask_.size() : 0);
    missing_ = short_size;
    if (end > 2) {
        missing_ = 0;
        for (std::size_t i = 2; i < end; ++i)
            missing_ = missing_ << 8U | static_cast<unsigned char>(head_[i]);
        if (missing_ < kTwoByteSize || (end == 10 && missing_ <= 0xffff))
            return fault("a size in more bytes than it needs");
    }
    if (is_masked) std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(end), 4, mask_.begin());

    if (is_control()) {
        control_.clear();
        if (!is_last_) return fault("a control frame in pieces");
        if (missing_ > limits::kWsControlBytes) return fault("a control frame that is too long");
        return std::nullopt;
    }
    const bool continues = opcode_ == WsOpcode::continuation;
    if (continues && !kind_) return fault("a continuation of nothing");
    if (!continues && kind_) return fault("a message inside another");
    if (!continues) {
        kind_ = opcode_;
        message_.clear();
    }
    if (missing_ > message_bytes_max_ - message_.size())
        return fault("the message is too big", WsCode::too_big);
    return std::nullopt;
}

void WsParser::read_payload(std::string_view& input) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), missing_));
    std::string& to = is_control() ? control_ : message_;
    const std::size_t start = to.size();
    to.append(input.substr(0, count));
    input.remove_prefix(count);
    missing_ -= count;
    if (side_ == Side::client) return;
    apply_mask(to, start, mask_);
    std::rotate(mask_.begin(), mask_.begin() + static_cast<std::ptrdiff_t>(count % 4), mask_.end());
}

// Nothing where the message goes on.
std::optional<WsParser::Step> WsParser::finish_frame() {
    if (opcode_ == WsOpcode::ping) return Step::ping;
    if (opcode_ == WsOpcode::pong) return Step::pong;
    if (opcode_ == WsOpcode::close) {
        if (const auto fault = judge_close()) return fail(*fault);
        return Step::close;
    }
    if (!is_last_) return std::nullopt;
    const bool is_text = kind_ == WsOpcode::text;
    kind_.reset();
    if (!is_text) {
        std::string().swap(message_);
        return Step::binary;
    }
    if (!utf8::is_valid(message_)) return fail({WsCode::bad_payload, "a text that is not UTF-8"});
    return Step::text;
}

std::optional<WsFault> WsParser::judge_close() {
    close_code_ = static_cast<std::uint16_t>(WsCode::none);
    if (control_.empty()) return std::nullopt;
    if (control_.size() == 1)
        return WsFault{WsCode::protocol_error, "a close frame with half a code"};
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(control_[at]); };
    const unsigned code = byte(0) * 256U + byte(1);
    if (!is_close_code(code)) return WsFault{WsCode::protocol_error, "no code to close with"};
    close_code_ = static_cast<std::uint16_t>(code);
    control_.erase(0, 2);
    if (!utf8::is_valid(control_))
        return WsFault{WsCode::bad_payload, "a reason that is not UTF-8"};
    return std::nullopt;
}

}  // namespace parley::wire
