// SPDX-License-Identifier: Apache-2.0
#include "door/native/native_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "broker/visible.h"
#include "core/told_error.h"
#include "dialect/native/problem.h"
#include "dialect/native/server.h"
#include "door/limits.h"

namespace parley {

namespace {

constexpr std::string_view kFailed = "stream.failed";

// Whether it counts the asks of its session, of which an agent is told its own alone.
bool has_count(const Event& event) {
    return std::visit(
        Overload{
            [](const OneOf<SessionCreated, SessionChanged, SessionEnded> auto&) { return true; },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, PartAdded,
                           MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) { return false; },
        },
        event.body);
}

net::SharedChunk encode_frame(const Frame& frame, const native::Shown& shown) {
    const native::WireEvent wire = native::write_frame(frame, shown);
    std::string id;
    if (wire.id) id = native::cursor_text(*wire.id);
    wire::SseEvent event{.data = wire.data, .event = wire.type};
    if (wire.id) event.id = id;
    return net::SharedChunk::sse(event);
}

}  // namespace

net::SharedChunk EncodedEvents::encode(const EventPtr& event, const Viewer& viewer) {
    const auto found =
        std::lower_bound(kept_.begin(), kept_.end(), event->cursor,
                         [](const Entry& entry, Cursor cursor) { return entry.cursor < cursor; });
    if (found != kept_.end() && found->cursor == event->cursor) return found->chunk;
    net::SharedChunk chunk =
        encode_frame(event, {.names = &names_,
                             .pending = broker_.pending_count(event->session, viewer),
                             .texts = &texts_});
    // Only the newest are worth keeping: a reader that is far behind reads alone.
    if (found != kept_.end()) return chunk;
    kept_.push_back({event->cursor, chunk});
    bytes_ += chunk.payload().size();
    while (kept_.size() > limits::kEncodedEventsKept || bytes_ > limits::kEncodedEventsBytes) {
        bytes_ -= kept_.front().chunk.payload().size();
        kept_.pop_front();
    }
    return chunk;
}

NativeStream::NativeStream(Wiring wiring, Caller caller)
    : wiring_(wiring),
      pump_(std::make_shared<FramePump>(FramePump::Wiring{wiring.broker, wiring.clock},
                                        std::move(caller))) {}

void NativeStream::serve(net::Stream stream) {
    // HEAD, or a client that has gone meanwhile: nobody is there to be served.
    if (!stream.is_open()) return;
    stream_ = std::move(stream);
    stream_.on_end([self = shared_from_this()](net::StreamEnd) { self->pump_->stop(); });
    stream_.on_closing([weak = weak_from_this()] {
        // Broken off, not ended: a client that resumes comes back to the next process.
        if (const auto self = weak.lock()) self->stream_.abort();
    });
    pump_->feed(*this);
}

void NativeStream::tell_of_store(const std::optional<Error>& away) {
    const std::string data = native::store_news_document({away});
    const auto event = away ? native::kStoreAway : native::kStoreBack;
    (void)stream_.send(net::SharedChunk::sse({.data = data, .event = event}));
}

net::StreamOptions NativeStream::options() {
    net::StreamOptions options = net::sse_options();
    // The pump keeps the queue short; what can still be long is one event.
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    return options;
}

// Who resumes may be told of sessions that ended before this process began.
bool NativeStream::prepare(std::span<const Frame> frames, Task ready) {
    std::set<SessionId> missing;
    for (const Frame& frame : frames) {
        const auto* event = std::get_if<EventPtr>(&frame);
        if (event != nullptr && !wiring_.names.is_known((*event)->session))
            missing.insert((*event)->session);
    }
    if (missing.empty()) return false;
    wiring_.names.look_up(missing, std::move(ready));
    return true;
}

void NativeStream::send(const Frame& frame) {
    const auto* event = std::get_if<EventPtr>(&frame);
    const Caller& caller = pump_->caller();
    if (event != nullptr && (!is_agent(caller.viewer()) || !has_count(**event))) {
        (void)stream_.send(wiring_.shared.encode(*event, caller.viewer()));
        return;
    }
    native::Shown shown{.names = &wiring_.names, .texts = &wiring_.texts};
    if (event != nullptr)
        shown.pending = wiring_.broker.pending_count((*event)->session, caller.viewer());
    (void)stream_.send(encode_frame(frame, shown));
}

// A client that comes back meets the same again, and should know why.
void NativeStream::break_off(const Error& error) {
    const Error told = told_to(pump_->caller().viewer(), error);
    const std::string data =
        fmt::format(R"({{"type":"{}","problem":{}}})", kFailed,
                    native::problem_document(told, native::http_status(told.code)));
    (void)stream_.send(net::SharedChunk::sse({.data = data, .event = kFailed}));
    cut();
}

}  // namespace parley
