// SPDX-License-Identifier: Apache-2.0
// What `parley serve` says once requests are served: one line of JSON for programs, or a few for
// people.
#pragma once

#include "app/command_line/console.h"
#include "app/serve/server.h"

namespace parley::app {

struct ReadyLook {
    bool is_json = false;
    bool is_detached = false;  // nobody reads it
    bool has_qr = false;
    bool has_sign_in = false;  // an address that signs a browser in, for programs too
};

void announce_ready(Console& console, Server& server, const ReadyLook& look);

}  // namespace parley::app
