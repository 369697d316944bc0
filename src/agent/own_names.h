// SPDX-License-Identifier: Apache-2.0
// What agents themselves call the sessions that they ran on this machine, a small file each, so
// that the next run finds its conversation again. Not in the session's log: what stands there an
// agent may have written. Blocks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "parley/ids.h"
#include "parley/values.h"

namespace parley {

class OwnNames {
public:
    struct Kept {
        std::string name;
        Instant since;  // it has been called so
    };

    // Without a folder nothing is kept.
    explicit OwnNames(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Durable when it returns.
    [[nodiscard]] Result<void> keep(SessionId session, std::string_view name) const;
    std::optional<Kept> find(SessionId session) const;

private:
    std::filesystem::path folder_;
};

}  // namespace parley
