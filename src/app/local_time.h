// SPDX-License-Identifier: Apache-2.0
// Times of day as the person at this machine reads them.
#pragma once

#include <string>

#include "parley/values.h"

namespace parley::app {

// "14:03", by the machine's time zone.
std::string local_time(Instant at);

}  // namespace parley::app
