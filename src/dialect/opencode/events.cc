// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/events.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/permission.h"
#include "core/settle.h"
#include "dialect/opencode/parts.h"
#include "dialect/opencode/permission.h"
#include "dialect/opencode/questions.h"

namespace parley::opencode {

namespace {

// Collects what is told, and knows how each kind is spelled.
class Teller {
public:
    Teller(SessionId session, const Scene& scene) : session_(session.str()), scene_(scene) {}

    // `write` adds fields to the properties, after sessionID.
    template <class F>
    void add(std::string_view type, F write) {
        std::string properties;
        json::Writer out(properties);
        out.begin_object().field("sessionID", session_);
        write(out);
        out.end_object();
        told_.push_back({type, std::move(properties)});
    }
    void add_raw(std::string_view type, std::string properties) {
        told_.push_back({type, std::move(properties)});
    }
    void notice(const NoticeGiven& notice) { told_.push_back(tell(notice)); }
    void status(bool is_busy) {
        add("session.status", [&](json::Writer& out) {
            out.key("status").begin_object();
            out.field("type", is_busy ? "busy" : "idle").end_object();
        });
        if (!is_busy) add("session.idle", [](json::Writer&) {});
    }
    void message(const MessageInfo& info) {
        add("message.updated",
            [&](json::Writer& out) { write_info(out.key("info"), info, scene_); });
    }
    void part(std::string json, Instant at) {
        add("message.part.updated", [&](json::Writer& out) {
            out.key("part").raw(json);
            out.field_int("time", at.time_since_epoch().count());
        });
    }
    void session(std::string_view type, const Session& session) {
        add(type, [&](json::Writer& out) { write_session(out.key("info"), session, scene_); });
    }
    std::vector<Told> take() { return std::move(told_); }

private:
    std::string session_;
    const Scene& scene_;
    std::vector<Told> told_;
};

void tell_opened(Teller& teller, const Ask& ask) {
    teller.message(info_of(ask));
    teller.part(ask_part(ask, AskPart::pending), ask.created_at);
    std::string request;
    json::Writer out(request);
    if (permission::has_usual_options(ask)) {
        write_permission(out, ask);
        teller.add_raw("permission.asked", std::move(request));
    } else {
        write_request(out, ask, shown_call(ask));
        teller.add_raw("question.asked", std::move(request));
    }
    teller.part(ask_part(ask, AskPart::current), ask.created_at);
}

void tell_settled(Teller& teller, const Ask& ask, const Scene& scene) {
    const Settlement& settlement = *ask.settlement;
    if (permission::has_usual_options(ask)) {
        teller.add_raw("permission.replied", permission_replied_properties(ask));
    } else if (settlement.outcome == Outcome::answered) {
        teller.add_raw("question.replied", replied_properties(ask));
    } else {
        teller.add_raw("question.rejected", rejected_properties(ask));
    }
    if (withdrawal_rule(settlement) == WithdrawalRule::turn_stopped) {
        teller.add("session.error", [](json::Writer& out) {
            out.key("error").begin_object().field("name", "MessageAbortedError");
            out.key("data").begin_object().field("message", "Aborted").end_object().end_object();
        });
    }
    teller.part(ask_part(ask, AskPart::current), settlement.at);
    teller.message(info_of(ask));
    teller.status(scene.is_busy);
}

void tell_part(Teller& teller, const Event& event, const Part& part, const Scene& scene) {
    if (part.place.message.is_nil()) return;
    MessageInfo info = info_of(event.session, part.place.message);
    if (part.kind == Part::Kind::finish) {
        info.completed = event.at;
        info.finish = "stop";
        return teller.message(info);
    }
    if (part.place.index == 0) teller.message(info);
    teller.part(agent_part(event.session, part, event.at, scene.call), event.at);
}

void tell_message(Teller& teller, const Event& event, const MessageAdded& message) {
    teller.message(info_of(event.session, message, event.at));
    teller.part(user_part(event.session, message), event.at);
}

}  // namespace

Told tell(const NoticeGiven& notice) {
    std::string properties;
    json::Writer out(properties);
    out.begin_object().field("message", notice.text);
    out.field("variant", to_string(notice.level)).end_object();
    return {"tui.toast.show", std::move(properties)};
}

std::vector<Told> tell_pending(const Ask& ask, const Scene& scene) {
    Teller teller(ask.session, scene);
    tell_opened(teller, ask);
    return teller.take();
}

std::vector<Told> tell(const Event& event, const Scene& scene) {
    Teller teller(event.session, scene);
    std::visit(
        Overload{
            [&](const AskOpened& opened) {
                teller.status(true);
                tell_opened(teller, *opened.ask);
            },
            [&](const AskSettled& settled) { tell_settled(teller, *settled.ask, scene); },
            [&](const SessionCreated& created) {
                teller.session("session.created", *created.session);
            },
            [&](const SessionChanged& changed) {
                teller.session("session.updated", *changed.session);
                teller.status(scene.is_busy);
            },
            [&](const SessionEnded& ended) { teller.session("session.deleted", *ended.session); },
            [&](const PartAdded& added) { tell_part(teller, event, *added.part, scene); },
            [&](const MessageAdded& message) { tell_message(teller, event, message); },
            [&](const NoticeGiven& notice) { teller.notice(notice); },
            [](const OneOf<DraftChanged, SnoozeChanged, MessagesTaken, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
    return teller.take();
}

std::vector<Told> tell(const PartDelta& delta, const Scene& scene) {
    Teller teller(delta.session, scene);
    const Instant at = time_of(delta.place.message);
    if (delta.is_start || delta.is_replacement) {
        if (delta.place.index == 0) teller.message(info_of(delta.session, delta.place.message));
        teller.part(unfinished_part(delta), at);
    } else {
        const bool is_text = delta.kind == PartDelta::Kind::text;
        teller.add("message.part.delta", [&](json::Writer& out) {
            out.field("messageID", delta.place.message.str());
            out.field("partID", part_id(delta.place)).field("field", is_text ? "text" : "raw");
            out.field("delta", delta.text);
        });
    }
    return teller.take();
}

std::string event_id(Instant at, Cursor cursor, std::uint32_t number) {
    const auto millis = static_cast<std::uint64_t>(at.time_since_epoch().count());
    return EventId(IdBits{millis << 16U, (cursor.value << 24U) | number}).str();
}

std::string wrap(Envelope envelope, std::string_view id, const Told& told,
                 std::string_view directory) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    if (envelope == Envelope::api) {
        // The same questions under the names of the newer interface.
        constexpr std::string_view kQuestion = "question.";
        const std::string type =
            told.type.starts_with(kQuestion)
                ? fmt::format("question.v2.{}", told.type.substr(kQuestion.size()))
                : std::string(told.type);
        out.field("id", id).field("type", type);
        if (!directory.empty())
            out.key("location").begin_object().field("directory", directory).end_object();
        out.key("data").raw(told.properties).end_object();
        return text;
    }
    if (envelope == Envelope::global) {
        if (!directory.empty()) out.field("directory", directory).field("project", "global");
        out.key("payload").begin_object();
    }
    out.field("id", id).field("type", told.type).key("properties").raw(told.properties);
    if (envelope == Envelope::global) out.end_object();
    out.end_object();
    return text;
}

}  // namespace parley::opencode
