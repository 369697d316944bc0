// SPDX-License-Identifier: Apache-2.0
// Times as the person at this machine reads them.
#pragma once

#include <string>

#include "parley/values.h"

namespace parley::app {

// "14:03" today, "2026-11-12 14:03" on any other day, by the machine's time zone.
std::string local_time(Instant at);
// The same, as read at `now`.
std::string local_time_at(Instant at, Instant now);

}  // namespace parley::app
