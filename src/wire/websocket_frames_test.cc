// SPDX-License-Identifier: Apache-2.0
#include "wire/websocket_frames.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/properties_test.h"
#include "wire/websocket_frames_seen.h"

namespace parley::wire {
namespace {

using Side = WsParser::Side;
using Step = WsParser::Step;

constexpr std::size_t kMost = 100'000;
constexpr WsMask kMask = {'\x12', '\xf0', '\x00', '\x7f'};

std::string masked(WsOpcode opcode, std::string_view payload) {
    std::string out;
    append_masked_frame(out, opcode, payload, kMask);
    return out;
}

// The same as a frame that is not the last of its message.
std::string masked_piece(WsOpcode opcode, std::string_view payload) {
    std::string out = masked(opcode, payload);
    out[0] = static_cast<char>(opcode);
    return out;
}

using Seen = SeenFrame;

std::vector<Seen> read(std::string_view bytes, std::size_t size, Side side = Side::server) {
    return see_frames(WsParser(side, kMost), bytes, size);
}

WsCode fault_of(std::string_view bytes, Side side = Side::server) {
    WsParser parser(side, kMost);
    while (true) {
        switch (parser.step(bytes)) {
            case Step::need_more: return WsCode::none;
            case Step::failed: return parser.fault().code;
            default: break;
        }
    }
}

RC_GTEST_PROP(WebSocketFrames, WhatWasWrittenIsRead, (std::string text)) {
    for (char& byte : text) byte &= '\x7f';  // any ASCII is UTF-8
    const auto size = *rc::gen::inRange<std::size_t>(1, 20);
    const std::vector<Seen> wanted = {{Step::text, text}};
    RC_ASSERT(read(masked(WsOpcode::text, text), size) == wanted);
    std::string plain;
    append_frame_head(plain, WsOpcode::text, text.size());
    RC_ASSERT(read(plain + text, size, Side::client) == wanted);
}

TEST(WebSocketFrames, SizesOfAllFormsAreRead) {
    for (const std::size_t size : {0u, 1u, 125u, 126u, 127u, 65535u, 65536u, 100'000u}) {
        const std::string text(size, 'x');
        for (const std::size_t piece : {std::size_t{1000}, kMost * 2}) {
            const auto seen = read(masked(WsOpcode::text, text), piece);
            ASSERT_EQ(seen.size(), 1u) << size;
            EXPECT_EQ(seen[0].text, text);
        }
    }
}

TEST(WebSocketFrames, ControlFramesComeBetweenThePiecesOfAMessage) {
    const std::string bytes =
        masked_piece(WsOpcode::text, "in ") + masked(WsOpcode::ping, "there?") +
        masked_piece(WsOpcode::continuation, "") + masked(WsOpcode::pong, "") +
        masked(WsOpcode::continuation, "pieces") + masked(WsOpcode::binary, "\xff") +
        masked(WsOpcode::close, "\x03\xe8 bye");
    const std::vector<Seen> wanted = {
        {Step::ping, "there?"}, {Step::pong, ""},      {Step::text, "in pieces"},
        {Step::binary, ""},     {Step::close, " bye"},
    };
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
        auto seen = read(bytes, piece);
        ASSERT_EQ(seen.size(), wanted.size());
        seen[3].text.clear();
        EXPECT_EQ(seen, wanted);
    }
}

TEST(WebSocketFrames, ACloseHasACodeOrNone) {
    const auto code_of = [](std::string_view payload) {
        WsParser parser(Side::server, kMost);
        const std::string bytes = masked(WsOpcode::close, payload);
        std::string_view input = bytes;
        return parser.step(input) == Step::close ? int{parser.close_code()} : -1;
    };
    EXPECT_EQ(code_of(""), 1005);
    EXPECT_EQ(code_of("\x03\xe9"), 1001);
    EXPECT_EQ(code_of("\x0f\xa0 because"), 4000);
    for (const std::string_view bad : {"\x03", "\x03\xec", "\x03\xed", "\x03\xee", "\x03\xf7",
                                       "\x07\xd0", "\x13\x88", "\x01\x01"})
        EXPECT_EQ(code_of(bad), -1);
    EXPECT_EQ(fault_of(masked(WsOpcode::close, "\x03\xe8\xff")), WsCode::bad_payload);
}

TEST(WebSocketFrames, WhatBreaksTheRulesIsNamed) {
    const std::string good = masked(WsOpcode::text, "x");
    const auto with = [](std::string bytes, std::size_t at, unsigned byte) {
        bytes[at] = static_cast<char>(byte);
        return bytes;
    };
    EXPECT_EQ(fault_of(good), WsCode::none);
    for (const unsigned reserved : {0xc1U, 0xa1U, 0x91U})
        EXPECT_EQ(fault_of(with(good, 0, reserved)), WsCode::protocol_error);
    for (const unsigned opcode : {0x83U, 0x87U, 0x8bU, 0x8fU})
        EXPECT_EQ(fault_of(with(good, 0, opcode)), WsCode::protocol_error);
    EXPECT_EQ(fault_of(masked_piece(WsOpcode::ping, "")), WsCode::protocol_error);
    EXPECT_EQ(fault_of(masked(WsOpcode::ping, std::string(126, 'x'))), WsCode::protocol_error);
    EXPECT_EQ(fault_of(masked(WsOpcode::continuation, "x")), WsCode::protocol_error);
    EXPECT_EQ(fault_of(masked_piece(WsOpcode::text, "a") + good), WsCode::protocol_error);
    EXPECT_EQ(fault_of(good, Side::client), WsCode::protocol_error);
    EXPECT_EQ(fault_of("\x81\x01x"), WsCode::protocol_error);
    EXPECT_EQ(fault_of(std::string_view("\x81\xfe\0\x01mask", 8)), WsCode::protocol_error);
    EXPECT_EQ(fault_of(std::string_view("\x81\xff\0\0\0\0\0\0\xff\xffmask", 14)),
              WsCode::protocol_error);
    EXPECT_EQ(fault_of(masked(WsOpcode::text, "\xe2\x82")), WsCode::bad_payload);
    EXPECT_EQ(
        fault_of(masked_piece(WsOpcode::text, "\xe2") + masked(WsOpcode::continuation, "\x82\xac")),
        WsCode::none);
}

// Before the bytes themselves come.
TEST(WebSocketFrames, AMessageOverTheBoundIsRefusedByItsHead) {
    const std::string most(kMost, 'x');
    EXPECT_EQ(fault_of(masked(WsOpcode::text, most)), WsCode::none);
    EXPECT_EQ(fault_of(masked(WsOpcode::text, most + "x").substr(0, 14)), WsCode::too_big);
    EXPECT_EQ(fault_of(std::string(masked_piece(WsOpcode::text, most)) +
                       masked(WsOpcode::continuation, "x").substr(0, 6)),
              WsCode::too_big);
    EXPECT_EQ(fault_of(std::string_view("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xffmask", 14)),
              WsCode::too_big);
}

}  // namespace
}  // namespace parley::wire
