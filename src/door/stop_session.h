// SPDX-License-Identifier: Apache-2.0
// Who may stop a session's turn or end it.
#pragma once

#include <string_view>

#include "base/result.h"
#include "broker/broker.h"
#include "door/access.h"

namespace parley {

// An agent may not take back what other agents asked, and both ways to stop a session would.
[[nodiscard]] Result<void> check_may_stop(const LoopBroker& broker, const Caller& caller,
                                          std::string_view ref);

}  // namespace parley
