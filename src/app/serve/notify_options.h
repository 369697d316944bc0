// SPDX-License-Identifier: Apache-2.0
// Which program of the owner `parley serve` runs when something is asked, waits long, or is
// settled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "base/environment.h"
#include "base/result.h"
#include "parley/values.h"

namespace parley::app {

struct NotifySettings {
    std::vector<std::string> command = {};      // the program and its arguments; empty: none
    std::vector<std::string> environment = {};  // "NAME=value"
    std::optional<Millis> after = {};           // what waits longer is told of once more
};

class NotifyOptions {
public:
    std::vector<OptionSpec> specs();
    [[nodiscard]] Result<NotifySettings> read(const Environment& environment) const;

private:
    std::vector<std::string> command_;
    std::optional<std::string> after_;
};

}  // namespace parley::app
