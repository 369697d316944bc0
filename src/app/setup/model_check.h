// SPDX-License-Identifier: Apache-2.0
// What `parley doctor` says of the model that `parley serve --agent llm` runs, as the configuration
// names it: which one and where, whose key, and whether its server answers. A key goes to that
// server and into no finding.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "app/command_line/run_context.h"
#include "app/serve/llm_serve_options.h"
#include "app/setup/doctor.h"

namespace parley::app {

class ModelCheck {
public:
    std::vector<OptionSpec> settings();
    void check(const RunContext& context, Findings& findings) const;

private:
    std::optional<std::string> agent_;
    LlmServeOptions options_;
};

}  // namespace parley::app
