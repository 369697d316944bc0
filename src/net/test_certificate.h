// SPDX-License-Identifier: Apache-2.0
// For the tests of TLS: a fresh self-signed certificate in files.
#pragma once

#include <string>

#include "net/tls.h"

namespace parley::net::testing {

// For "localhost" and 127.0.0.1, valid now; `name` is its common name.
TlsFiles write_certificate(const std::string& name);

}  // namespace parley::net::testing
