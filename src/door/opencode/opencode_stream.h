// SPDX-License-Identifier: Apache-2.0
// One subscriber of /event, /global/event or /api/event. What goes to many is written once and
// shared. Each group of events that stands for one of ours ends with the `id:` line of its cursor,
// so that a client that comes back with it misses nothing. Owned by its connection; belongs to the
// loop's thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "broker/broker.h"
#include "dialect/opencode/events.h"
#include "door/frame_pump.h"
#include "net/stream.h"

namespace parley::opencode {

// The newest events as bytes, and the tool calls that have no output yet.
class SharedEvents {
public:
    SharedEvents(LoopBroker& broker, std::string_view directory)
        : broker_(broker), directory_(directory) {}

    // Empty for an event of which these clients know nothing.
    net::SharedChunk encode(const EventPtr& event, Envelope envelope, const Caller& caller);
    // What things are told against, as they stand now for who is told.
    Scene scene_of(SessionId session, const Viewer& viewer) const;
    std::string_view directory() const { return directory_; }

private:
    struct Entry {
        Cursor cursor;
        std::array<net::SharedChunk, 3> chunks;  // by envelope; written when first wanted
        std::array<bool, 3> is_written = {};
    };
    using CallKey = std::pair<SessionId, std::string>;

    net::SharedChunk write(const Event& event, Envelope envelope, const Viewer& viewer);
    void remember(const Event& event);
    const Call* find_call(const Event& event) const;

    LoopBroker& broker_;
    std::string directory_;
    std::deque<Entry> kept_;  // ascending
    std::size_t bytes_ = 0;
    std::map<CallKey, Call> calls_;
    std::deque<CallKey> call_order_;
    std::size_t call_bytes_ = 0;
};

class OpenCodeStream : public FrameSink, public std::enable_shared_from_this<OpenCodeStream> {
public:
    struct Wiring {
        LoopBroker& broker;
        const Clock& clock;
        SharedEvents& shared;
    };
    struct View {
        Envelope envelope = Envelope::event;
        std::optional<std::string> directory = {};  // only what is seen from there
    };

    OpenCodeStream(Wiring wiring, Caller caller, View view);

    // First this, which may be refused, then serve().
    [[nodiscard]] Result<void> subscribe(SubscribeRequest request) {
        return pump_->subscribe(std::move(request));
    }
    // Until the client, the server or the broker ends it.
    void serve(net::Stream stream);

    net::StreamOptions options() const;

private:
    bool is_open() const override { return stream_.is_open(); }
    std::size_t queued_bytes() const override { return stream_.queued_bytes(); }
    void on_queue_below(std::size_t bytes, Task task) override {
        stream_.on_queue_below(bytes, std::move(task));
    }
    void send(const Frame& frame) override;
    void tell_of_store(const std::optional<Error>& away) override;
    void cut() override {
        const auto alive = shared_from_this();  // the stream may be the last to hold this
        stream_.abort();
    }

    bool is_seen(SessionId session, const Session* brought = nullptr) const;
    std::string next_id();
    // One of the server's own.
    std::string server_event(std::string_view type, std::string properties = "{}",
                             std::string_view directory = {});
    void send_told(const std::vector<Told>& told, std::string_view directory);
    void say_good_bye();

    Wiring wiring_;
    View view_;
    std::shared_ptr<FramePump> pump_;
    net::Stream stream_;
    std::uint32_t next_number_ = 1;  // of events without a cursor
};

}  // namespace parley::opencode
