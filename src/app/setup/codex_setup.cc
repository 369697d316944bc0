// SPDX-License-Identifier: Apache-2.0
#include "app/setup/codex_setup.h"

#include <fmt/format.h>

#include <system_error>

#include "agent/codex/codex_join.h"

namespace parley::app {

namespace fs = std::filesystem;

std::optional<fs::path> codex_socket(const Environment& environment) {
    if (const auto home = environment.find("CODEX_HOME")) return CodexJoin::control_socket(*home);
    const auto home = environment.find("HOME");
    if (!home) return std::nullopt;
    return CodexJoin::control_socket(fs::path(*home) / ".codex");
}

void check_codex(const Environment& environment, Findings& findings) {
    const auto socket = codex_socket(environment);
    std::error_code error;
    if (!socket || !fs::exists(socket->parent_path().parent_path(), error)) return;
    if (const auto holder = find_socket_holder(*socket)) {
        findings.push_back({Finding::Grade::good, "codex",
                            fmt::format("process {} shares its sessions at {}; `parley join codex` "
                                        "brings what they ask here",
                                        holder->pid, socket->string())});
        return;
    }
    findings.push_back({Finding::Grade::good, "codex",
                        "no session of it runs that could be joined; `parley join codex` waits for "
                        "one"});
}

}  // namespace parley::app
