// SPDX-License-Identifier: Apache-2.0
// WebSocket frames, whole and in pieces: the same comes out; and what a client could have sent,
// written again, reads the same.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/websocket_frames.h"
#include "wire/websocket_frames_seen.h"

namespace {

using namespace parley;
using namespace parley::wire;
using Step = WsParser::Step;

std::vector<SeenFrame> read(std::string_view bytes, std::size_t size, WsParser::Side side) {
    return see_frames(WsParser(side, 4096), bytes, size);
}

}  // namespace

// libFuzzer looks for this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto side = data[0] % 2U == 0 ? WsParser::Side::server : WsParser::Side::client;
    const std::vector<SeenFrame> whole = read(bytes, size, side);
    ASSERT(whole == read(bytes, 1 + data[0] / 2U % 20U, side));
    for (const SeenFrame& each : whole) {
        if (each.step != Step::text) continue;
        std::string again;
        append_masked_frame(again, WsOpcode::text, each.text, {'\x01', '\x80', '\x7f', '\xff'});
        const std::vector<SeenFrame> seen = read(again, again.size(), WsParser::Side::server);
        ASSERT(seen.size() == 1 && seen[0] == each);
    }
    return 0;
}
