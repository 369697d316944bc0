// SPDX-License-Identifier: Apache-2.0
#include "app/serve/join_options.h"

#include "app/setup/codex_setup.h"

namespace parley::app {

std::vector<OptionSpec> JoinOptions::specs() {
    return {{.names = "--join",
             .value = "AGENT",
             .help = "Bring what an agent of yours asks in its own windows here too, as `parley "
                     "join` does: codex",
             .target = &agents_,
             .setting = "serve.join",
             .choices = {"codex"}}};
}

Result<std::optional<CodexPlace>> JoinOptions::codex(const Environment& environment) const {
    std::optional<CodexPlace> place;
    for (const std::string& agent : agents_) {
        if (agent != "codex") return reject(ErrorCode::invalid, "--join {}: expected codex", agent);
        const auto socket = codex_socket(environment);
        const auto state = environment.state_folder();
        if (!socket || !state)
            return reject(ErrorCode::invalid, "--join codex: there is no HOME to look for it in");
        place = CodexPlace{*socket, *state};
    }
    return place;
}

}  // namespace parley::app
