// SPDX-License-Identifier: Apache-2.0
// The request parser, whole and in pieces: both must agree, and what was accepted must be free of
// the forms that two readers could understand differently.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/http_parser.h"
#include "wire/http_rules.h"

namespace {

using namespace parley::wire;

struct Seen {
    std::vector<std::string> bodies;
    std::string last_target;
    int fault = 0;
};

Seen read(std::string_view bytes, std::size_t piece) {
    RequestParser parser({.head_bytes_max = 4096, .body_bytes_max = 1024});
    Seen seen;
    while (!bytes.empty()) {
        std::string_view input = bytes.substr(0, piece);
        bytes.remove_prefix(input.size());
        while (true) {
            const Step step = parser.step(input);
            if (step == Step::need_more) {
                ASSERT(input.empty());
                break;
            }
            if (step == Step::failed) {
                seen.fault = parser.fault().status;
                return seen;
            }
            if (step == Step::head) {
                const Request& request = parser.message();
                ASSERT(find_ambiguous_length(request.fields, request.minor_version) == nullptr);
                ASSERT(request.fields.count("host") <= 1);
                continue;
            }
            ASSERT(parser.message().body.size() <= 1024);
            seen.bodies.push_back(parser.message().body);
            seen.last_target = parser.message().target;
            parser.next();
            if (input.empty()) break;
        }
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = 1 + data[0] % 40U;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Seen whole = read(bytes, size);
    const Seen cut = read(bytes, piece);
    ASSERT(whole.bodies == cut.bodies && whole.last_target == cut.last_target);
    // A few bytes at the end may be waiting for more, which would only then be found wrong.
    ASSERT(whole.fault == cut.fault || whole.fault == 0 || cut.fault == 0);
    return 0;
}
