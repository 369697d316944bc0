// SPDX-License-Identifier: Apache-2.0
#include "door/native/openapi.h"

extern "C" const char parley_openapi_begin[];
extern "C" const char parley_openapi_end[];

namespace parley::native {

std::string_view openapi_document() {
    return {parley_openapi_begin, parley_openapi_end};
}

}  // namespace parley::native
