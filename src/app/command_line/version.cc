// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/version.h"

#include <fmt/format.h>

#include <vector>

#include "app/source_commit.h"  // made by cmake/WriteSource.cmake

namespace parley::app {

std::string version_text() {
    std::vector<std::string> facts;
    for (const std::string_view fact :
         {std::string_view(kSourceCommit), source_date(), std::string_view(PARLEY_BUILD_TYPE)})
        if (!fact.empty()) facts.emplace_back(fact);
#if defined(__clang__)
    facts.push_back(
        fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__));
#else
    facts.push_back(fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__));
#endif
    return fmt::format("{} ({})", PARLEY_VERSION, fmt::join(facts, ", "));
}

std::string_view source_date() {
    return kSourceDate;
}

}  // namespace parley::app
