// SPDX-License-Identifier: Apache-2.0
// The response parser, whole and in pieces: both must agree on status, body and end.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/http_parser.h"

namespace {

using namespace parley::wire;

struct Seen {
    int status = 0;
    std::string body;
    Step last = Step::need_more;

    bool operator==(const Seen&) const = default;
};

Seen read(std::string_view bytes, std::size_t piece, Method method) {
    ResponseParser parser({.head_bytes_max = 4096, .body_bytes_max = 1U << 20U});
    parser.expect_answer_to(method);
    Seen seen;
    while (!bytes.empty() && seen.last != Step::done && seen.last != Step::failed) {
        std::string_view input = bytes.substr(0, piece);
        bytes.remove_prefix(input.size());
        do {
            seen.last = parser.step(input);
            if (seen.last == Step::head) seen.status = parser.head().status;
        } while (seen.last == Step::head);
        seen.body += parser.take_body();
    }
    if (seen.last == Step::need_more) seen.last = parser.end_of_input();
    // What came before a fault depends on how the bytes were cut.
    if (seen.last == Step::failed) seen.body.clear();
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = 1 + data[0] % 40U;
    const Method method = data[0] >= 0xf0 ? Method::head : Method::get;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    ASSERT(read(bytes, size, method) == read(bytes, piece, method));
    return 0;
}
