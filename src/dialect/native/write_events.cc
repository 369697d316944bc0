// SPDX-License-Identifier: Apache-2.0
// Events of the native wire: what subscribers of /v1/events are told, and what a log page lists.
#include "core/value_json.h"
#include "dialect/native/event_types.h"
#include "dialect/native/server.h"

namespace parley::native {

namespace {

constexpr std::size_t kEventBytesUsual = 1024;

// Writes {"type":…, …} around what `write_rest` adds.
template <class WriteRest>
WireEvent wire_event(std::string_view type, WriteRest write_rest) {
    WireEvent event = {.type = type, .data = {}};
    event.data.reserve(kEventBytesUsual);
    json::Writer out(event.data);
    out.begin_object().field("type", type);
    write_rest(out);
    out.end_object();
    return event;
}

WireEvent ask_event(std::string_view type, const Ask& ask, const Shown& shown) {
    return wire_event(type, [&](json::Writer& out) { write_ask(out.key("ask"), ask, shown); });
}

WireEvent session_event(std::string_view type, const Event& event, const Session& session,
                        const Shown& shown, const std::optional<std::string>& reason = {}) {
    return wire_event(type, [&](json::Writer& out) {
        write_time(out, "at", event.at);
        write_id(out, "session_id", session.id);
        write_session(out.key("session"), session, shown.pending);
        write_optional(out, "reason", reason);
    });
}

struct EventWriter {
    const Event& event;
    const Shown& shown;

    WireEvent operator()(const AskOpened& opened) const {
        return ask_event(kEventType<AskOpened>, *opened.ask, shown);
    }
    WireEvent operator()(const AskSettled& settled) const {
        return ask_event(kEventType<AskSettled>, *settled.ask, shown);
    }
    WireEvent operator()(const DraftChanged& changed) const {
        return wire_event(kEventType<DraftChanged>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            write_id(out, "ask", changed.ask);
            write_draft_fields(out, *changed.draft);
        });
    }
    WireEvent operator()(const SnoozeChanged& changed) const {
        return wire_event(kEventType<SnoozeChanged>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            write_id(out, "ask", changed.ask);
            if (changed.until) write_time(out, "snoozed_until", *changed.until);
        });
    }
    WireEvent operator()(const SessionCreated& created) const {
        return session_event(kEventType<SessionCreated>, event, *created.session, shown);
    }
    WireEvent operator()(const SessionChanged& changed) const {
        return session_event(kEventType<SessionChanged>, event, *changed.session, shown);
    }
    WireEvent operator()(const SessionEnded& ended) const {
        return session_event(kEventType<SessionEnded>, event, *ended.session, shown, ended.reason);
    }
    WireEvent operator()(const PartAdded& added) const {
        return wire_event(kEventType<PartAdded>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            write_item(out.key("part"), *added.part);
        });
    }
    WireEvent operator()(const MessageAdded& message) const {
        return wire_event(kEventType<MessageAdded>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            write_message(out.key("message"), message);
        });
    }
    WireEvent operator()(const MessagesTaken& taken) const {
        return wire_event(kEventType<MessagesTaken>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            out.field("taken_up_to", taken.up_to.str());
        });
    }
    WireEvent operator()(const NoticeGiven& notice) const {
        return wire_event(kEventType<NoticeGiven>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            if (!event.session.is_nil()) write_session_ref(out, event.session, shown);
            out.field("text", notice.text).field("level", to_string(notice.level));
            if (!notice.by.empty()) out.field("by", notice.by);
        });
    }
    WireEvent operator()(const AgentRevoked& revoked) const {
        return wire_event(kEventType<AgentRevoked>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            out.field("asker", revoked.principal);
        });
    }
    WireEvent operator()(const ContentDeleted& deleted) const {
        return wire_event(kEventType<ContentDeleted>, [&](json::Writer& out) {
            write_time(out, "at", event.at);
            write_session_ref(out, event.session, shown);
            write_id(out, "ask", deleted.ask);
        });
    }
    // The broker's own: nobody is given one.
    WireEvent operator()(const TokenChanged&) const {
        return wire_event(kEventType<TokenChanged>, [](json::Writer&) {});
    }
    WireEvent operator()(const MarkChanged&) const {
        return wire_event(kEventType<MarkChanged>, [](json::Writer&) {});
    }
};

struct FrameWriter {
    const Shown& shown;

    WireEvent operator()(const EventPtr& event) const {
        WireEvent written = std::visit(EventWriter{*event, shown}, event->body);
        written.id = event->cursor;
        return written;
    }
    WireEvent operator()(const PartDeltaPtr& delta) const {
        return wire_event(kEventType<PartAdded>, [&](json::Writer& out) {
            write_session_ref(out, delta->session, shown);
            write_item(out.key("part"), *delta);
        });
    }
    WireEvent operator()(const SnapshotAsk& snapshot) const {
        Shown to_reader = shown;
        std::map<AskId, Instant> snooze;
        if (snapshot.snoozed_until) snooze.emplace(snapshot.ask->id, *snapshot.snoozed_until);
        to_reader.snoozes = &snooze;
        return ask_event(kEventType<AskOpened>, *snapshot.ask, to_reader);
    }
    WireEvent operator()(const SnapshotEnd& end) const {
        WireEvent written = wire_event("snapshot.end", [&](json::Writer& out) {
            out.field("cursor", cursor_text(end.cursor));
        });
        written.id = end.cursor;
        return written;
    }
    WireEvent operator()(const Reset&) const {
        return wire_event("reset", [](json::Writer&) {});
    }
};

}  // namespace

WireEvent write_frame(const Frame& frame, const Shown& shown) {
    return std::visit(FrameWriter{shown}, frame);
}

}  // namespace parley::native
