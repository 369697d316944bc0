// SPDX-License-Identifier: Apache-2.0
// Which store a command of `parley store` means, and how it tells what went wrong with one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/command_line/command.h"
#include "app/command_line/run_context.h"
#include "base/result.h"
#include "store/archive/lines.h"

namespace parley::app {

class StoreOption {
public:
    OptionSpec spec();
    // The one that was named, or this user's own.
    [[nodiscard]] Result<std::string> url(const Environment& environment) const;
    bool is_given() const { return store_.has_value(); }

private:
    std::optional<std::string> store_;
};

// What is wrong with a store is no wrong usage, and no broker that cannot be reached.
ExitCode fail_store(const RunContext& context, const Error& error);

// "12 asks, 3 sessions": those that there are any of.
struct KindCount {
    std::string_view kind;  // in the plural
    std::uint64_t count = 0;
};
std::string count_words(std::span<const KindCount> counts);
std::string count_words(const ArchiveCounts& counts);
// {"asks":12,…}
std::string counts_document(const ArchiveCounts& counts);

}  // namespace parley::app
