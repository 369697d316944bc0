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

Result<std::optional<std::filesystem::path>> JoinOptions::codex(
    const Environment& environment) const {
    std::optional<std::filesystem::path> socket;
    for (const std::string& agent : agents_) {
        if (agent != "codex") return reject(ErrorCode::invalid, "--join {}: expected codex", agent);
        socket = codex_socket(environment);
        if (!socket)
            return reject(ErrorCode::invalid, "--join codex: there is no HOME to look for it in");
    }
    return socket;
}

}  // namespace parley::app
