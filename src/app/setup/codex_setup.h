// SPDX-License-Identifier: Apache-2.0
// Where the Codex of this user is, and whether its sessions can be joined. Blocks.
#pragma once

#include <filesystem>
#include <optional>

#include "app/setup/doctor.h"
#include "base/environment.h"

namespace parley::app {

// The socket at which Codex's windows share one app-server: below $CODEX_HOME or ~/.codex; nullopt
// without a home.
std::optional<std::filesystem::path> codex_socket(const Environment& environment);

// For the doctor: whether Codex runs where it can be joined. Says nothing where Codex never ran.
void check_codex(const Environment& environment, Findings& findings);

}  // namespace parley::app
