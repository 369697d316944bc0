// SPDX-License-Identifier: Apache-2.0
// A subscription over a tRPC WebSocket, as wsLink reads it. Owned by its Socket; belongs to the
// loop's thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "door/trpc/session_stream.h"

namespace parley::trpc {

class Socket;

class SocketStream final : public SessionStream {
public:
    struct Wiring {
        FramePump::Wiring pump;
        std::weak_ptr<Socket> socket;
    };

    // `id` is the request's, as JSON.
    SocketStream(const Wiring& wiring, const Caller& caller, const Procedure& procedure,
                 std::string id)
        : SessionStream(wiring.pump, caller, procedure),
          socket_(wiring.socket),
          id_(std::move(id)) {}

private:
    bool is_open() const override;
    std::size_t queued_bytes() const override;
    void on_queue_below(std::size_t bytes, Task task) override;
    void begin() override;
    void tell(const Told& event) override;
    void mark(const std::string&) override {}  // a frame without data would be an event
    void complete() override;
    void fail(const Failure& failure) override;

    std::weak_ptr<Socket> socket_;
    std::string id_;
    bool has_begun_ = false;
};

}  // namespace parley::trpc
