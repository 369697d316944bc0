// SPDX-License-Identifier: Apache-2.0
// Which model `parley serve --agent llm` runs, as options: those of `parley run llm`, and settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/llm/llm_host.h"
#include "app/command_line/command.h"
#include "app/commands/llm_options.h"
#include "base/result.h"

namespace parley::app {

class LlmServeOptions {
public:
    struct Model {
        llm::ModelProfile profile;
        ModelServer::Options server;
    };

    std::vector<OptionSpec> specs();
    // `agent` is what --agent says. Where it says that another serves, settings of a model may
    // stand in the configuration all the same.
    [[nodiscard]] Result<std::optional<LlmHost::Settings>> read(
        const RunContext& context, const std::optional<std::string>& agent) const;

    // The same without what is kept; nothing is made.
    [[nodiscard]] Result<std::optional<Model>> read_model(
        const RunContext& context, const std::optional<std::string>& agent) const;
    // The name of an option that is given, or nothing.
    std::string first_given() const;

private:
    LlmFlags flags_;
};

}  // namespace parley::app
