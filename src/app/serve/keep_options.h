// SPDX-License-Identifier: Apache-2.0
// How long `parley serve` keeps what is over.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "base/result.h"
#include "broker/store_keeper.h"

namespace parley::app {

class KeepOptions {
public:
    std::vector<OptionSpec> specs();
    [[nodiscard]] Result<KeepTimes> read() const;

private:
    std::optional<std::string> asks_;
    std::optional<std::string> sessions_;
    std::optional<std::string> messages_;
};

// "90d", or "forever" for none.
[[nodiscard]] Result<std::optional<Millis>> read_keep_time(std::string_view option,
                                                           const std::optional<std::string>& text);

}  // namespace parley::app
