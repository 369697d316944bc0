// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/opencode_stream.h"

#include <algorithm>
#include <variant>

#include "base/overload.h"
#include "broker/visible.h"
#include "core/event.h"
#include "dialect/native/server.h"
#include "door/limits.h"
#include "door/opencode/opencode_replies.h"

namespace parley::opencode {

namespace {

// The data line comes first: their hand-written clients look for it at the start of an event. JSON
// text has no line breaks.
void append_event(std::string& out, std::string_view json) {
    out.append("data: ").append(json).append("\n\n");
}

// Ends what was appended last with the cursor.
void append_cursor(std::string& out, Cursor cursor) {
    out.pop_back();
    out.append("id: ").append(native::cursor_text(cursor)).append("\n\n");
}

std::size_t index_of(Envelope envelope) {
    return static_cast<std::size_t>(envelope);
}

std::shared_ptr<const Part> tool_part(const Event& event) {
    std::shared_ptr<const Part> part = part_in(event);
    if (part == nullptr || part->part_id.empty()) return nullptr;
    return part->kind == Part::Kind::text ? nullptr : part;
}

// The session as an event brings it; null if it brings none.
const Session* session_in(const Event& event) {
    return std::visit(
        Overload{
            [](const OneOf<SessionCreated, SessionChanged, SessionEnded> auto& body)
                -> const Session* { return body.session.get(); },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, PartAdded,
                           MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) -> const Session* {
                return nullptr;
            },
        },
        event.body);
}

}  // namespace

Scene SharedEvents::scene_of(SessionId session, const Viewer& viewer) const {
    Scene scene{.directory = directory_};
    if (const auto* entry = broker_.find_live(session, viewer)) {
        scene.session = entry->session.get();
        scene.is_busy = broker_.is_busy(session, viewer);
    }
    return scene;
}

net::SharedChunk SharedEvents::encode(const EventPtr& event, Envelope envelope,
                                      const Caller& caller) {
    // Whether its session is busy depends on what the agent may see.
    if (is_agent(caller.viewer())) {
        remember(*event);
        return write(*event, envelope, caller.viewer());
    }
    const auto found =
        std::lower_bound(kept_.begin(), kept_.end(), event->cursor,
                         [](const Entry& entry, Cursor cursor) { return entry.cursor < cursor; });
    const std::size_t index = index_of(envelope);
    if (found != kept_.end() && found->cursor == event->cursor) {
        if (!std::exchange(found->is_written[index], true)) {
            found->chunks[index] = write(*event, envelope, caller.viewer());
            bytes_ += found->chunks[index].payload().size();
        }
        return found->chunks[index];
    }
    remember(*event);
    net::SharedChunk chunk = write(*event, envelope, caller.viewer());
    // Only the newest are worth keeping: a reader that is far behind reads alone.
    if (found != kept_.end()) return chunk;
    Entry& entry = kept_.emplace_back(Entry{.cursor = event->cursor, .chunks = {}});
    entry.chunks[index] = chunk;
    entry.is_written[index] = true;
    bytes_ += chunk.payload().size();
    while (kept_.size() > limits::kEncodedEventsKept || bytes_ > limits::kEncodedEventsBytes) {
        for (const net::SharedChunk& old : kept_.front().chunks) bytes_ -= old.payload().size();
        kept_.pop_front();
    }
    return chunk;
}

net::SharedChunk SharedEvents::write(const Event& event, Envelope envelope, const Viewer& viewer) {
    Scene scene = scene_of(event.session, viewer);
    if (scene.session == nullptr) scene.session = session_in(event);
    scene.call = find_call(event);
    const std::vector<Told> told = tell(event, scene);
    if (told.empty()) return {};
    std::string text;
    std::uint32_t number = 0;
    const std::string_view directory = opencode::directory_of(scene.session, scene);
    for (const Told& each : told)
        append_event(text,
                     wrap(envelope, event_id(event.at, event.cursor, number++), each, directory));
    append_cursor(text, event.cursor);
    return net::SharedChunk(text);
}

void SharedEvents::remember(const Event& event) {
    const std::shared_ptr<const Part> part = tool_part(event);
    if (part == nullptr || part->kind != Part::Kind::tool_input) return;
    const CallKey key(event.session, part->part_id);
    const auto [place, is_new] = calls_.try_emplace(key, Call{part, event.at});
    if (!is_new) return;
    call_order_.push_back(key);
    call_bytes_ += part->body.size();
    while (calls_.size() > limits::kToolInputsKept || call_bytes_ > limits::kToolInputsBytes) {
        const auto oldest = calls_.find(call_order_.front());
        call_bytes_ -= oldest->second.input->body.size();
        calls_.erase(oldest);
        call_order_.pop_front();
    }
}

const Call* SharedEvents::find_call(const Event& event) const {
    const std::shared_ptr<const Part> part = tool_part(event);
    if (part == nullptr) return nullptr;
    const auto found = calls_.find({event.session, part->part_id});
    return found == calls_.end() ? nullptr : &found->second;
}

OpenCodeStream::OpenCodeStream(Wiring wiring, Caller caller, View view)
    : wiring_(wiring),
      view_(std::move(view)),
      pump_(std::make_shared<FramePump>(FramePump::Wiring{wiring.broker, wiring.clock},
                                        std::move(caller))) {}

net::StreamOptions OpenCodeStream::options() const {
    net::StreamOptions options = net::sse_options();
    // The pump keeps the queue short; what can still be long is one event.
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    options.heartbeat_interval = limits::kOpenCodeHeartbeat;
    if (view_.envelope == Envelope::api) {
        options.heartbeat = net::SharedChunk::sse_comment("heartbeat");
        return options;
    }
    std::string text;
    append_event(text, wrap(view_.envelope, event_id(wiring_.clock.wall(), {}, 0),
                            {"server.heartbeat", "{}"}, {}));
    options.heartbeat = net::SharedChunk(text);
    return options;
}

void OpenCodeStream::serve(net::Stream stream) {
    // HEAD, or a client that has gone meanwhile: nobody is there to be served.
    if (!stream.is_open()) return;
    stream_ = std::move(stream);
    stream_.on_end([self = shared_from_this()](net::StreamEnd) { self->pump_->stop(); });
    stream_.on_closing([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->say_good_bye();
    });
    (void)stream_.send(server_event("server.connected"));
    pump_->feed(*this);
}

void OpenCodeStream::say_good_bye() {
    std::string properties;
    json::Writer out(properties);
    const std::string_view directory = wiring_.shared.directory();
    out.begin_object().field("directory", directory).end_object();
    (void)stream_.send(server_event("server.instance.disposed", std::move(properties), directory));
    // Broken off, not ended: a client that resumes comes back to the next process.
    stream_.abort();
}

std::string OpenCodeStream::next_id() {
    return event_id(wiring_.clock.wall(), {}, next_number_++);
}

std::string OpenCodeStream::server_event(std::string_view type, std::string properties,
                                         std::string_view directory) {
    std::string text;
    append_event(text, wrap(view_.envelope, next_id(), {type, std::move(properties)}, directory));
    return text;
}

void OpenCodeStream::send_told(const std::vector<Told>& told, std::string_view directory) {
    std::string text;
    for (const Told& each : told)
        append_event(text, wrap(view_.envelope, next_id(), each, directory));
    if (!text.empty()) (void)stream_.send(text);
}

void OpenCodeStream::tell_of_store(const std::optional<Error>& away) {
    send_told({tell(store_notice(away))}, {});
}

// `brought` is what the event says of its session, which may have ended since.
bool OpenCodeStream::is_seen(SessionId session, const Session* brought) const {
    if (brought == nullptr) brought = find_live(wiring_.broker, session, pump_->caller().viewer());
    return is_seen_from(view_.directory, brought);
}

void OpenCodeStream::send(const Frame& frame) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        if (is_seen((*event)->session, session_in(**event)))
            (void)stream_.send(wiring_.shared.encode(*event, view_.envelope, pump_->caller()));
    } else if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
        if (!is_seen((*delta)->session)) return;
        const Scene scene = wiring_.shared.scene_of((*delta)->session, pump_->caller().viewer());
        send_told(tell(**delta, scene), opencode::directory_of(scene.session, scene));
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        if (!is_seen(listed->ask->session)) return;
        const Scene scene = wiring_.shared.scene_of(listed->ask->session, pump_->caller().viewer());
        send_told(tell_pending(*listed->ask, scene), opencode::directory_of(scene.session, scene));
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        // From here on the client has a place to come back to.
        std::string text = server_event("server.heartbeat");
        append_cursor(text, end->cursor);
        (void)stream_.send(text);
    }
    // A reset needs no word: server.connected and the pending asks are what it would say.
}

}  // namespace parley::opencode
