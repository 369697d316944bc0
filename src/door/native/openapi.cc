// SPDX-License-Identifier: Apache-2.0
#include "door/native/openapi.h"

extern "C" const char kParleyOpenApiBegin[];
extern "C" const char kParleyOpenApiEnd[];

namespace parley::native {

std::string_view openapi_document() {
    return {kParleyOpenApiBegin, kParleyOpenApiEnd};
}

}  // namespace parley::native
