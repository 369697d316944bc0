// SPDX-License-Identifier: Apache-2.0
// One subscriber of GET /v1/events: pulls frames from its Subscription as fast as its client reads,
// and no faster. An event that goes to many is written once and shared. Owned by its connection;
// belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "broker/broker.h"
#include "door/access.h"
#include "net/stream.h"

namespace parley {

// The newest events as SSE, for everyone who shows sessions by our ids.
class EncodedEvents {
public:
    explicit EncodedEvents(const LoopBroker& broker) : broker_(broker) {}
    net::SharedChunk encode(const EventPtr& event);

private:
    struct Entry {
        Cursor cursor;
        net::SharedChunk chunk;
    };
    const LoopBroker& broker_;
    std::deque<Entry> kept_;  // ascending
    std::size_t bytes_ = 0;
};

class EventStream : public std::enable_shared_from_this<EventStream> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
        EncodedEvents& shared;
    };

    EventStream(Wiring wiring, Caller caller, std::string session)
        : wiring_(wiring), caller_(std::move(caller)), session_(std::move(session)) {}

    // First this, which may be refused, then serve().
    [[nodiscard]] Result<void> subscribe(SubscribeRequest request);
    // Until the client, the server or the broker ends it.
    void serve(net::Stream stream);

    static net::StreamOptions options();

private:
    void pump();
    bool take_more();
    void wait_for_room();
    void send(const Frame& frame);
    bool may_see(const Frame& frame) const;

    Wiring wiring_;
    Caller caller_;
    std::string session_;  // as the client calls it; empty: by our id
    net::Stream stream_;
    Subscription subscription_;
    std::vector<Frame> taken_;
    std::size_t sent_ = 0;  // of taken_
    bool is_waiting_for_room_ = false;
};

}  // namespace parley
