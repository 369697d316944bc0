// SPDX-License-Identifier: Apache-2.0
// The address that `serve` prints, opened in a browser: its one-time token becomes a cookie, and
// the visitor is told what this is. Belongs to the loop's thread.
#pragma once

#include "broker/broker.h"
#include "door/access.h"
#include "net/router.h"

namespace parley {

void add_welcome(net::Router& router, Access& access, const LoopBroker& broker);

}  // namespace parley
