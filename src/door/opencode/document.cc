// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/document.h"

extern "C" const char kParleyOpenCodeApiBegin[];
extern "C" const char kParleyOpenCodeApiEnd[];
extern "C" const char kParleyOpenCodeToolBegin[];
extern "C" const char kParleyOpenCodeToolEnd[];

namespace parley::opencode {

std::string_view openapi_document() {
    return {kParleyOpenCodeApiBegin, kParleyOpenCodeApiEnd};
}

std::string_view tool_document() {
    return {kParleyOpenCodeToolBegin, kParleyOpenCodeToolEnd};
}

}  // namespace parley::opencode
