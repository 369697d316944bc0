// SPDX-License-Identifier: Apache-2.0
// One subscriber of GET /v1/events: pulls frames from its Subscription as fast as its client reads,
// and no faster. An event that goes to many is written once and shared.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/broker.h"
#include "door/access.h"
#include "net/stream.h"

namespace parley {

// The newest events as SSE, for everyone who shows sessions by our ids.
class EncodedEvents {
public:
    net::SharedChunk encode(const EventPtr& event);

private:
    struct Entry {
        Cursor cursor;
        net::SharedChunk chunk;
    };
    std::deque<Entry> kept_;  // ascending
};

class EventStream : public std::enable_shared_from_this<EventStream> {
public:
    EventStream(net::Stream stream, Caller caller, std::string session, EncodedEvents& shared)
        : stream_(std::move(stream)),
          caller_(std::move(caller)),
          session_(std::move(session)),
          shared_(shared) {}

    // Lives until the client, the server or the broker ends it.
    [[nodiscard]] Result<void> start(LoopBroker& broker, SubscribeRequest request);

private:
    void pump();
    void send(const Frame& frame);
    bool may_see(const Frame& frame) const;
    void stop();

    net::Stream stream_;
    Caller caller_;
    std::string session_;  // as the client calls it; empty: by our id
    EncodedEvents& shared_;
    Subscription subscription_;
    std::vector<Frame> taken_;
    std::shared_ptr<EventStream> self_;  // until it stops
    bool is_waiting_for_room_ = false;
};

}  // namespace parley
