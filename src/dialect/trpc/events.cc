// SPDX-License-Identifier: Apache-2.0
#include "dialect/trpc/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "core/settle.h"
#include "dialect/limits.h"
#include "dialect/trpc/asks.h"
#include "text/json.h"

namespace parley::trpc {

namespace {

// An event under construction: type first, then what `write` adds.
template <class Write>
StreamEvent make_event(std::string_view type, Write write) {
    StreamEvent event;
    json::Writer out(event.data);
    out.begin_object().field("type", type);
    write(out);
    out.end_object();
    return event;
}

std::int64_t milliseconds(Instant at) {
    return at.time_since_epoch().count();
}

StreamEvent text_event(std::string_view type, std::string_view part_id) {
    return make_event(type, [&](json::Writer& out) { out.field("partId", part_id); });
}

StreamEvent text_delta(std::string_view part_id, std::string_view text) {
    return make_event("text-delta",
                      [&](json::Writer& out) { out.field("partId", part_id).field("text", text); });
}

// An error is told as a text: the agent's own words where it gave some.
std::string error_text(const Part& part) {
    if (part.kind == Part::Kind::tool_input_error) return part.body;
    const auto value = json::parse(part.body);
    if (!value || !value->is_string()) return part.body;
    return std::string(value->get_string().data(), value->get_string().size());
}

}  // namespace

StreamEvent notice_event(const NoticeGiven& notice) {
    return make_event("notice", [&](json::Writer& out) {
        out.field("level", to_string(notice.level)).field("text", notice.text);
    });
}

std::string resume_text(const StreamPlace& point) {
    std::string text = fmt::format("{}{}", point.cursor.value, point.is_in_snapshot ? "*" : "");
    if (point.session) text += "@" + point.session->str();
    return text;
}

std::optional<StreamPlace> parse_resume(std::string_view text) {
    StreamPlace point;
    if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
        point.session = SessionId::parse(text.substr(at + 1));
        if (!point.session) return std::nullopt;
        text = text.substr(0, at);
    }
    if (text.ends_with('*')) {
        point.is_in_snapshot = true;
        text.remove_suffix(1);
    }
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, point.cursor.value);
    if (problem != std::errc() || stop != end) return std::nullopt;
    return point;
}

void SessionEvents::render(const Frame& frame, std::vector<StreamEvent>& out) {
    if (const auto* event = std::get_if<EventPtr>(&frame)) {
        render_event(**event, out);
    } else if (const auto* delta = std::get_if<PartDeltaPtr>(&frame)) {
        render_delta(**delta, out);
    } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
        if (held_) out.push_back({.data = ask_question_event(*held_)});
        held_ = listed->ask;
        open_asks_.insert(held_->id);
    } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
        end_snapshot(end->cursor, out);
    } else {
        held_ = nullptr;
        open_asks_.clear();
        texts_.clear();
    }
}

void SessionEvents::end_snapshot(Cursor cursor, std::vector<StreamEvent>& out) {
    StreamEvent last;
    if (held_) {
        last.data = ask_question_event(*std::exchange(held_, nullptr));
    } else if (const auto session = std::exchange(created_, std::nullopt)) {
        last = make_event("session-created",
                          [&](json::Writer& writer) { writer.field("sessionId", session->str()); });
    }
    last.cursor = cursor;
    out.push_back(std::move(last));
}

void SessionEvents::render_event(const Event& event, std::vector<StreamEvent>& out) {
    const std::size_t before = out.size();
    std::visit(
        Overload{
            [&](const AskOpened& opened) {
                open_asks_.insert(opened.ask->id);
                out.push_back({.data = ask_question_event(*opened.ask)});
            },
            [&](const AskSettled& settled) { render_settled(*settled.ask, out); },
            [&](const PartAdded& added) { render_part(*added.part, event.at, out); },
            [&](const SessionChanged& changed) { render_change(event, *changed.session, out); },
            [&](const MessageAdded& message) {
                out.push_back(make_event("user-message-created", [&](json::Writer& writer) {
                    writer.field("messageId", message.id.str()).field("content", message.text);
                }));
            },
            [&](const MessagesTaken& taken) {
                if (awaited_ && taken.up_to >= *awaited_) awaited_.reset();
            },
            [&](const NoticeGiven& notice) { out.push_back(notice_event(notice)); },
            [&](const SessionEnded& ended) {
                is_session_over_ = true;
                out.push_back(make_event("session-ended", [&](json::Writer& writer) {
                    if (ended.reason) writer.field("reason", *ended.reason);
                }));
            },
            [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) {},
        },
        event.body);
    if (out.size() == before) out.emplace_back();
    out.back().cursor = event.cursor;
}

void SessionEvents::render_settled(const Ask& ask, std::vector<StreamEvent>& out) {
    open_asks_.erase(ask.id);
    out.push_back({.data = ask_settled_event(ask)});
    if (withdrawal_rule(*ask.settlement) != WithdrawalRule::turn_stopped) return;
    // An agent that never said it works has nothing to stop but its asks.
    if (activity_ == Activity::idle && open_asks_.empty()) end_turn("abort", {}, out);
}

void SessionEvents::render_change(const Event& event, const Session& session,
                                  std::vector<StreamEvent>& out) {
    if (session.activity == activity_) return;
    activity_ = session.activity;
    if (activity_ == Activity::working) {
        out.push_back(make_event("assistant-message-created", [&](json::Writer& writer) {
            writer.field("messageId", fmt::format("turn-{}", event.cursor.value));
        }));
    } else {
        end_turn("abort", {}, out);
    }
}

void SessionEvents::end_turn(std::string_view type, std::string_view reason,
                             std::vector<StreamEvent>& out) {
    texts_.clear();
    calls_.clear();
    if (!awaited_ || type == "abort") is_turn_over_ = true;
    out.push_back(make_event(type, [&](json::Writer& writer) {
        if (!reason.empty()) writer.field("reason", reason);
    }));
}

void SessionEvents::render_delta(const PartDelta& delta, std::vector<StreamEvent>& out) {
    if (delta.kind == PartDelta::Kind::tool_input) {
        if (delta.is_start) {
            out.push_back(make_event("tool-input-start", [&](json::Writer& writer) {
                writer.field("toolCallId", delta.part_id).field("toolName", delta.tool);
            }));
        }
        if (delta.text.empty()) return;
        out.push_back(make_event("tool-input-delta", [&](json::Writer& writer) {
            writer.field("toolCallId", delta.part_id).field("inputTextDelta", delta.text);
        }));
        return;
    }
    if (delta.is_start) {
        texts_.insert(delta.part_id);
        out.push_back(text_event("text-start", delta.part_id));
    }
    if (!delta.text.empty()) out.push_back(text_delta(delta.part_id, delta.text));
}

void SessionEvents::render_part(const Part& part, Instant at, std::vector<StreamEvent>& out) {
    switch (part.kind) {
        case Part::Kind::text:
            if (texts_.erase(part.part_id) == 0) {
                out.push_back(text_event("text-start", part.part_id));
                if (!part.body.empty()) out.push_back(text_delta(part.part_id, part.body));
            }
            out.push_back(text_event("text-end", part.part_id));
            return;
        case Part::Kind::tool_input:
            if (calls_.size() >= limits::kTrpcCallsRemembered) calls_.pop_front();
            calls_.push_back({part.part_id, part.tool, at});
            out.push_back(make_event("tool-call", [&](json::Writer& writer) {
                writer.field("toolCallId", part.part_id).field("toolName", part.tool);
                writer.key("input").raw(part.body);
                writer.field_int("startTime", milliseconds(at));
            }));
            return;
        case Part::Kind::tool_input_error:
        case Part::Kind::tool_output: render_tool_end(part, at, out); return;
        case Part::Kind::finish:
            // The change to idle that follows belongs to it.
            activity_ = Activity::idle;
            end_turn("complete", part.body, out);
            return;
    }
}

SessionEvents::OpenCall SessionEvents::take_call(const Part& part) {
    const auto found = std::ranges::find(calls_, part.part_id, &OpenCall::id);
    if (found == calls_.end()) return {.id = part.part_id, .tool = part.tool, .since = {}};
    OpenCall call = std::move(*found);
    calls_.erase(found);
    return call;
}

void SessionEvents::render_tool_end(const Part& part, Instant at, std::vector<StreamEvent>& out) {
    const OpenCall call = take_call(part);
    const bool is_error = part.is_error || part.kind == Part::Kind::tool_input_error;
    out.push_back(make_event(is_error ? "tool-error" : "tool-result", [&](json::Writer& writer) {
        writer.field("toolCallId", part.part_id).field("toolName", call.tool);
        if (is_error) {
            writer.field("error", error_text(part));
        } else {
            writer.key("result").raw(part.body);
        }
        if (call.since != Instant{}) writer.field_int("duration", (at - call.since).count());
    }));
}

}  // namespace parley::trpc
