// SPDX-License-Identifier: Apache-2.0
#include "net/usual_bounds.h"

#include "net/limits.h"
#include "wire/limits.h"

namespace parley::net::usual {

std::size_t body_bytes() {
    return limits::kBodyBytes;
}

std::size_t stream_queue_bytes() {
    return limits::kStreamQueueBytes;
}

std::size_t socket_message_bytes() {
    return limits::kSocketMessageBytes;
}

std::size_t write_bytes_min() {
    return limits::kWriteBytesMin;
}

Millis write_stall_timeout() {
    return limits::kWriteStallTimeout;
}

Millis heartbeat_interval() {
    return limits::kHeartbeatInterval;
}

Millis pong_timeout() {
    return limits::kPongTimeout;
}

}  // namespace parley::net::usual
