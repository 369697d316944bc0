// SPDX-License-Identifier: Apache-2.0
// Whether a page may call the server that it came from.
#pragma once

#include <string_view>

#include "net/router.h"
#include "wire/header_text.h"

namespace parley {

// Whether a page of this origin was served under the name that the request is for. Where TLS ends
// at a proxy, the page is https and we are not.
inline bool is_same_origin(std::string_view origin, const net::Visit& visit) {
    const bool is_tls = visit.peer.kind == net::Peer::Kind::tls;
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (scheme == "http://" && is_tls) continue;
        if (origin.size() == scheme.size() + visit.host.size() && origin.starts_with(scheme) &&
            wire::equals_ignoring_case(origin.substr(scheme.size()), visit.host))
            return !visit.host.empty();
    }
    return false;
}

}  // namespace parley
