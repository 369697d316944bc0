// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in_cookie.h"

#include <fmt/format.h>

#include "door/caller_names.h"

namespace parley {

std::string sign_in_cookie(std::string_view host) {
    return has_port(host) ? fmt::format("parley-{}", host.substr(host.rfind(':') + 1)) : "parley";
}

}  // namespace parley
