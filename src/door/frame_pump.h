// SPDX-License-Identifier: Apache-2.0
// Pulls frames from a Subscription as fast as one client reads, and no faster: a slow client falls
// behind into the store and costs no memory. Shows the client what its token may see, for as long
// as that counts. Every door that streams has its own sink. Belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "broker/broker.h"
#include "door/access.h"

namespace parley {

// One client's end of a stream: SSE, a WebSocket.
class FrameSink {
public:
    virtual ~FrameSink() = default;

    virtual bool is_open() const = 0;
    virtual std::size_t queued_bytes() const = 0;
    // Calls once when no more than `bytes` are queued.
    virtual void on_queue_below(std::size_t bytes, Task task) = 0;
    // Before these are sent. True: something of them must be found out first, and `ready` is called
    // once it is.
    virtual bool prepare(std::span<const Frame> /*frames*/, Task /*ready*/) { return false; }
    virtual void send(const Frame& frame) = 0;
    // The broker's store is away, with the cause as this caller may know it, or is back. Between
    // frames, and no event: nobody resumes from it.
    virtual void tell_of_store(const std::optional<Error>& away) = 0;
    // The caller's token counts no longer: end it, so that the client sees a failure.
    virtual void cut() = 0;
    // The store cannot give what comes next: end it likewise.
    virtual void break_off(const Error&) { cut(); }
};

// The same in the words of a notice, for protocols that have no other for it.
NoticeGiven store_notice(const std::optional<Error>& away);

class FramePump : public std::enable_shared_from_this<FramePump> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
    };

    FramePump(Wiring wiring, Caller caller) : wiring_(wiring), caller_(std::move(caller)) {}

    // First this, which may be refused, then feed(). The viewer is the caller.
    [[nodiscard]] Result<void> subscribe(SubscribeRequest request);
    // `sink` must live until stop().
    void feed(FrameSink& sink);
    void stop();

    const Caller& caller() const { return caller_; }

private:
    void pump();
    bool take_more();
    bool prepare();
    void wait_for_room();
    void tell_of_store();

    Wiring wiring_;
    Caller caller_;
    FrameSink* sink_ = nullptr;
    Subscription subscription_;
    std::vector<Frame> taken_;
    std::size_t sent_ = 0;     // of taken_
    bool is_waiting_ = false;  // for room, or until the sink is prepared
    std::string told_away_;    // why the store is away, as the sink knows; "": it is there
};

}  // namespace parley
