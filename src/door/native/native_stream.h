// SPDX-License-Identifier: Apache-2.0
// One subscriber of GET /v1/events. An event that goes to many is written once and shared. Owned by
// its connection; belongs to the loop's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "broker/broker.h"
#include "dialect/native/ask_texts.h"
#include "dialect/native/server.h"
#include "door/frame_pump.h"
#include "door/native/known_names.h"
#include "net/stream.h"

namespace parley {

// The newest events as SSE, for everyone who shows sessions by our ids.
class EncodedEvents {
public:
    EncodedEvents(const LoopBroker& broker, native::AskTexts& texts,
                  const native::SessionNames& names)
        : broker_(broker), texts_(texts), names_(names) {}
    // To a viewer who sees all, or of what is the same for everyone.
    net::SharedChunk encode(const EventPtr& event, const Viewer& viewer);

private:
    struct Entry {
        Cursor cursor;
        net::SharedChunk chunk;
    };
    const LoopBroker& broker_;
    native::AskTexts& texts_;
    const native::SessionNames& names_;
    std::deque<Entry> kept_;  // ascending
    std::size_t bytes_ = 0;
};

class NativeStream : public FrameSink, public std::enable_shared_from_this<NativeStream> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
        EncodedEvents& shared;
        native::AskTexts& texts;
        KnownNames& names;
    };

    NativeStream(Wiring wiring, Caller caller);

    // First this, which may be refused, then serve().
    [[nodiscard]] Result<void> subscribe(SubscribeRequest request) {
        return pump_->subscribe(std::move(request));
    }
    // Until the client, the server or the broker ends it.
    void serve(net::Stream stream);

    static net::StreamOptions options();

private:
    bool is_open() const override { return stream_.is_open(); }
    std::size_t queued_bytes() const override { return stream_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task) override {
        stream_.on_queue_below(bytes, std::move(task));
    }
    bool prepare(std::span<const Frame> frames, Task ready) override;
    void send(const Frame& frame) override;
    void tell_of_store(const std::optional<Error>& away) override;
    void cut() override {
        const auto alive = shared_from_this();  // the stream may be the last to hold this
        stream_.abort();
    }
    void break_off(const Error& error) override;

    Wiring wiring_;
    std::shared_ptr<FramePump> pump_;
    net::Stream stream_;
};

}  // namespace parley
