// SPDX-License-Identifier: Apache-2.0
#include "dialect/left_out.h"

#include <fmt/format.h>

namespace parley {

std::string left_out_text(std::span<const Fault> warnings) {
    if (warnings.empty()) return {};
    std::string text = "Left out of your call:";
    for (const Fault& warning : warnings)
        text += fmt::format("\n{}: {}", warning.path, warning.detail);
    return text;
}

}  // namespace parley
