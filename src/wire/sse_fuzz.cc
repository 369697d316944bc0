// SPDX-License-Identifier: Apache-2.0
// The event-stream parser, whole and in pieces, and the writer: what was read, written again, reads
// the same.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/sse.h"

namespace {

using namespace parley;
using namespace parley::wire;

struct Seen {
    std::vector<ReceivedSse> events;
    bool too_large = false;
};

Seen read(std::string_view bytes, std::size_t piece) {
    SseParser parser(512);
    Seen seen;
    UniqueFunction<void(ReceivedSse)> sink = [&](ReceivedSse event) {
        seen.events.push_back(std::move(event));
    };
    while (!bytes.empty() && !seen.too_large) {
        seen.too_large = !parser.feed(bytes.substr(0, piece), sink);
        bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    return seen;
}

void expect_same(const Seen& a, const Seen& b) {
    ASSERT(a.too_large == b.too_large);
    ASSERT(a.events.size() == b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i) {
        ASSERT(a.events[i].event == b.events[i].event);
        ASSERT(a.events[i].data == b.events[i].data);
        ASSERT(a.events[i].last_id == b.events[i].last_id);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Seen whole = read(bytes, size);
    expect_same(whole, read(bytes, 1 + data[0] % 20U));
    for (const ReceivedSse& event : whole.events) {
        std::string text;
        append_sse(text, {.data = event.data, .event = event.event, .id = event.last_id});
        const Seen again = read(text, 99999);
        if (again.too_large) continue;
        ASSERT(again.events.size() == 1);
        ASSERT(again.events[0].data == event.data);
        ASSERT(again.events[0].event == event.event);
        ASSERT(again.events[0].last_id == event.last_id);
    }
    return 0;
}
