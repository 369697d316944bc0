// SPDX-License-Identifier: Apache-2.0
// A listening socket, TCP or Unix: how it is bound, and the connections that arrive on it. Owned by
// the server, on the loop's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_function.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/tls.h"

namespace parley::net {

// A bound and listening descriptor, closed with its owner; a Unix socket's file goes with it.
class ListenSocket {
public:
    [[nodiscard]] static Result<ListenSocket> tcp(const std::string& host, std::uint16_t port);
    [[nodiscard]] static Result<ListenSocket> unix_path(const std::string& path);
    // A descriptor that another process bound for us.
    [[nodiscard]] static Result<ListenSocket> inherited(int descriptor);

    ListenSocket(ListenSocket&& other) noexcept;
    ListenSocket& operator=(ListenSocket&&) = delete;
    ~ListenSocket();

    int descriptor() const { return descriptor_; }
    int family() const { return family_; }
    std::uint16_t port() const;  // of a TCP socket

private:
    ListenSocket(int descriptor, int family) : descriptor_(descriptor), family_(family) {}

    int descriptor_ = -1;
    int family_ = 0;
    std::string path_;  // to be removed at the end, if it is still ours
    std::pair<std::uint64_t, std::uint64_t> file_ = {};  // device and inode
};

struct Accepted {
    int descriptor = -1;  // non-blocking; the receiver owns it
    int family = 0;
    Peer peer;
    std::shared_ptr<TlsServer> tls;
};

class Listener {
public:
    // `on_accept` gets each connection. `on_failure` gets the reason when none can be taken (too
    // many descriptors); accepting then pauses until resume().
    Listener(Loop& loop, ListenSocket socket, std::shared_ptr<TlsServer> tls,
             UniqueFunction<void(Accepted)> on_accept, UniqueFunction<void(int)> on_failure);
    ~Listener();

    void start();
    void resume();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace parley::net
