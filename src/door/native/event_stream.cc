// SPDX-License-Identifier: Apache-2.0
#include "door/native/event_stream.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/limits.h"
#include "dialect/native.h"
#include "door/native/replies.h"

namespace parley {

namespace {

net::SharedChunk encode_frame(const Frame& frame, std::string_view session) {
    const native::WireEvent wire = native::write_frame(frame, {.session = session});
    std::string id;
    if (wire.id) id = native::cursor_text(*wire.id);
    wire::SseEvent event{.data = wire.data, .event = wire.type};
    if (wire.id) event.id = id;
    return net::SharedChunk::sse(event);
}

}  // namespace

net::SharedChunk EncodedEvents::encode(const EventPtr& event) {
    const auto found =
        std::lower_bound(kept_.begin(), kept_.end(), event->cursor,
                         [](const Entry& entry, Cursor cursor) { return entry.cursor < cursor; });
    if (found != kept_.end() && found->cursor == event->cursor) return found->chunk;
    net::SharedChunk chunk = encode_frame(event, {});
    // Only the newest are worth keeping: a reader that is far behind reads alone.
    if (found == kept_.end()) {
        kept_.push_back({event->cursor, chunk});
        if (kept_.size() > limits::kEncodedEventsKept) kept_.pop_front();
    }
    return chunk;
}

Result<void> EventStream::start(LoopBroker& broker, SubscribeRequest request) {
    const std::weak_ptr<EventStream> weak = weak_from_this();
    auto subscription = broker.subscribe(std::move(request), [weak] {
        if (const auto self = weak.lock()) self->pump();
    });
    if (!subscription) return reject(std::move(subscription).error());
    subscription_ = std::move(*subscription);
    self_ = shared_from_this();
    stream_.on_end([weak](net::StreamEnd) {
        if (const auto self = weak.lock()) self->stop();
    });
    stream_.on_closing([weak] {
        const auto self = weak.lock();
        if (!self) return;
        // Broken off, not ended: a client that resumes comes back to the next process.
        self->stream_.abort();
        self->stop();
    });
    return {};
}

void EventStream::pump() {
    if (!self_ || is_waiting_for_room_) return;
    const auto alive = shared_from_this();
    while (stream_.is_open()) {
        if (stream_.queued_bytes() > limits::kEventQueueHigh) {
            is_waiting_for_room_ = true;
            stream_.on_queue_below(limits::kEventQueueLow, [weak = weak_from_this()] {
                const auto self = weak.lock();
                if (!self) return;
                self->is_waiting_for_room_ = false;
                self->pump();
            });
            return;
        }
        taken_.clear();
        subscription_.take(taken_, limits::kEventsTakenAtOnce);
        if (taken_.empty()) return;
        for (const Frame& frame : taken_)
            if (may_see(frame)) send(frame);
    }
}

void EventStream::send(const Frame& frame) {
    const auto* event = std::get_if<EventPtr>(&frame);
    if (event != nullptr && session_.empty()) {
        (void)stream_.send(shared_.encode(*event));
    } else {
        (void)stream_.send(encode_frame(frame, session_));
    }
}

// Agents see their own asks, and of sessions only the one they name.
bool EventStream::may_see(const Frame& frame) const {
    if (caller_.may_see_all()) return true;
    if (const auto* listed = std::get_if<SnapshotAsk>(&frame))
        return native::may_see(caller_, *listed->ask);
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        if (const auto* opened = std::get_if<AskOpened>(&(*event)->body))
            return native::may_see(caller_, *opened->ask);
        if (const auto* settled = std::get_if<AskSettled>(&(*event)->body))
            return native::may_see(caller_, *settled->ask);
        return !session_.empty();
    }
    return !std::holds_alternative<PartDeltaPtr>(frame) || !session_.empty();
}

void EventStream::stop() {
    subscription_ = {};
    self_.reset();
}

}  // namespace parley
