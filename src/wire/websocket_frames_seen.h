// SPDX-License-Identifier: Apache-2.0
// What a parser of frames makes of bytes that come in pieces. For its tests and its fuzzer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/websocket_frames.h"

namespace parley::wire {

struct SeenFrame {
    WsParser::Step step;
    std::string text = {};  // the message, the control frame's payload, or the fault

    bool operator==(const SeenFrame&) const = default;
};

// `bytes` in pieces of `size`, up to the first fault.
inline std::vector<SeenFrame> see_frames(WsParser parser, std::string_view bytes,
                                         std::size_t size) {
    using Step = WsParser::Step;
    std::vector<SeenFrame> seen;
    while (!bytes.empty()) {
        std::string_view piece = bytes.substr(0, size);
        bytes.remove_prefix(piece.size());
        while (true) {
            const Step step = parser.step(piece);
            if (step == Step::need_more) break;
            if (step == Step::failed) {
                seen.push_back({step, std::string(parser.fault().detail)});
                return seen;
            }
            seen.push_back(
                {step, step == Step::text ? parser.take_message() : std::string(parser.control())});
        }
    }
    return seen;
}

}  // namespace parley::wire
