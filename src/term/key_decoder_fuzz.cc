// SPDX-License-Identifier: Apache-2.0
// Any bytes as keys, cut anywhere: every text is valid UTF-8, nothing but text is in a text key,
// and what is pending stays bounded.
#include <algorithm>

#include "base/assert.h"
#include "term/key_decoder.h"
#include "text/utf8.h"

namespace {

void check(const std::vector<parley::Key>& keys) {
    using parley::Key;
    for (const Key& key : keys) {
        ASSERT(parley::utf8::is_valid(key.text));
        const bool has_text = key.is(Key::Code::text) || key.is(Key::Code::paste);
        ASSERT(has_text != key.text.empty());
        if (key.is(Key::Code::text))
            ASSERT(std::ranges::none_of(key.text, [](char c) { return c >= 0 && c < 0x20; }));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace parley;
    KeyDecoder decoder;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        // The first byte of each piece says how long it is, and whether time passes after it.
        const auto lead = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        const std::size_t length = std::min<std::size_t>(lead & 0x1f, rest.size());
        check(decoder.feed(rest.substr(0, length)));
        rest.remove_prefix(length);
        if ((lead & 0x80) != 0 && decoder.patience()) check(decoder.time_out());
    }
    check(decoder.time_out());
    ASSERT(!decoder.patience());
    return 0;
}
