// SPDX-License-Identifier: Apache-2.0
// What systemd, or another who starts services in its way, has ready for a broker, and is told by
// it.
#pragma once

#include <filesystem>
#include <optional>

#include "app/serve/listen_address.h"
#include "base/environment.h"
#include "base/result.h"

namespace parley::app {

// Listening sockets that were opened before this process: one of each kind at the most.
struct HandedSockets {
    struct Tcp {
        int descriptor = -1;
        ListenAddress address;
    };
    struct Local {
        int descriptor = -1;
        std::filesystem::path path;
    };
    std::optional<Tcp> tcp;
    std::optional<Local> local;
};

// Those that LISTEN_FDS and LISTEN_PID tell of, which begin at descriptor 3; none if they are meant
// for another process.
[[nodiscard]] Result<HandedSockets> handed_sockets(const Environment& environment);

// READY=1 to NOTIFY_SOCKET, if there is one.
void tell_ready(const Environment& environment);

}  // namespace parley::app
