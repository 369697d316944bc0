// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection, as far as the kernel says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace parley::net {

struct Peer {
    enum class Kind : std::uint8_t { tcp, tls, unix_socket };

    Kind kind = Kind::tcp;
    std::string address;  // "127.0.0.1:4242", "[::1]:4242"; "" for a socket
    bool loopback = false;
    uid_t uid = 0;  // only for unix_socket
    pid_t pid = 0;

    bool is_local() const { return kind == Kind::unix_socket; }
};

}  // namespace parley::net
