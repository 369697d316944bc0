// SPDX-License-Identifier: Apache-2.0
// The bounds of what is not told others, for the headers that every door includes: those do not
// include limits.h, so that a limit that changes compiles this folder again and little else.
#pragma once

#include <cstddef>

#include "parley/values.h"

namespace parley::net::usual {

std::size_t body_bytes();
std::size_t stream_queue_bytes();
std::size_t socket_message_bytes();
std::size_t write_bytes_min();
Millis write_stall_timeout();
Millis heartbeat_interval();
Millis pong_timeout();

}  // namespace parley::net::usual
