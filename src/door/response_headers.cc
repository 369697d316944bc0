// SPDX-License-Identifier: Apache-2.0
#include "door/response_headers.h"

#include <string_view>

#include "door/access.h"

namespace parley {

namespace {

constexpr std::string_view kTlsFromNowOn = "max-age=31536000";

wire::HeaderBlock safety_headers(std::string_view caching) {
    wire::HeaderBlock headers;
    headers.add("X-Content-Type-Options", "nosniff")
        .add("Referrer-Policy", "no-referrer")
        .add("X-Frame-Options", "DENY")
        .add("Cross-Origin-Resource-Policy", "same-origin")
        .add("Cache-Control", caching);
    return headers;
}

}  // namespace

// Every answer has them: they are put together once.
void add_safety_headers(net::Visit& visit) {
    static const wire::HeaderBlock kOfAssets = safety_headers("no-cache");
    static const wire::HeaderBlock kOfAll = safety_headers("no-store");
    const bool is_asset = static_cast<Needs>(visit.access) == Needs::asset;
    visit.headers.append(is_asset ? kOfAssets : kOfAll);
    if (visit.peer.kind == net::Peer::Kind::tls)
        visit.headers.add("Strict-Transport-Security", kTlsFromNowOn);
}

}  // namespace parley
