// SPDX-License-Identifier: Apache-2.0
// A broker for commands that cannot do without one: the one that runs, or else one that is started
// in the background. It belongs to nobody: it stays until it is stopped, and other commands find it
// at the default socket. On the loop's thread.
#pragma once

#include "app/reach/broker_access.h"

namespace parley::app {

// As open_server; where --server names none and none runs at the default socket, starts one. What
// it says goes to broker.log in the state folder.
void open_server_or_start(const ReachOptions& options, AccessDone done);

}  // namespace parley::app
