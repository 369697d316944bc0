// SPDX-License-Identifier: Apache-2.0
// Targets, queries, addresses and header values from outside.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/header_text.h"
#include "wire/url.h"

namespace {

using namespace parley::wire;

void check_decoding(std::string_view text) {
    const auto decoded = percent_decode(text);
    if (!decoded) return;
    ASSERT(decoded->size() <= text.size() && decoded->find('\0') == std::string::npos);
    ASSERT(percent_decode(percent_encode(*decoded)) == decoded);
}

void check_url(std::string_view text) {
    const auto url = Url::parse(text);
    if (!url) return;
    const auto again = Url::parse(url->str());
    if (url->scheme == Url::Scheme::unix_socket) {
        // A path that begins with two slashes is shortened once more.
        if (!url->socket_path.starts_with("//")) ASSERT(again && *again == *url);
        return;
    }
    ASSERT(again && again->host_field() == url->host_field() && again->target == url->target);
}

void check_query(std::string_view text) {
    const auto query = Query::parse(text);
    if (!query) return;
    std::string rebuilt;
    for (const auto& [name, value] : query->all()) {
        rebuilt += percent_encode(name) + "=" + percent_encode(value) + "&";
    }
    const auto again = Query::parse(rebuilt);
    ASSERT(again && again->all() == query->all());
}

void check_header_values(std::string_view text) {
    (void)list_contains(text, "close");
    const int quality = accept_quality(text, "text/html");
    ASSERT(quality >= 0 && quality <= 1000);
    (void)is_media_type(text, "application/json");
    (void)find_cookie(text, "token");
    (void)basic_credentials(text);
    if (const auto bytes = base64_decode(text)) ASSERT(base64_encode(*bytes) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_decoding(text);
    check_url(text);
    check_query(text);
    check_header_values(text);
    if (const auto target = split_target(text)) {
        ASSERT(target->path == "*" || target->path.starts_with('/'));
        ASSERT(target->path.find('?') == std::string_view::npos);
    }
    return 0;
}
