// SPDX-License-Identifier: Apache-2.0
// The OpenAPI 3.1 document of the native API, compiled in from openapi.json. Written by hand; a
// test holds it against the routes and against real answers.
#pragma once

#include <string_view>

namespace parley::native {

std::string_view openapi_document();

}  // namespace parley::native
