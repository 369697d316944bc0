// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode/messages.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/overload.h"

namespace parley::opencode {

MessageOutline::Message& MessageOutline::put(const MessageInfo& info) {
    const auto [place, is_new] = places_.try_emplace(info.id, messages_.size());
    if (is_new) messages_.push_back({.id = info.id, .info = {}, .is_user = info.is_user});
    Message& message = messages_[place->second];
    message.info.clear();
    json::Writer out(message.info);
    write_info(out, info, scene_);
    return message;
}

MessageOutline::Part& MessageOutline::put_part(Message& message, std::uint32_t index,
                                               Cursor event) {
    // What changes is mostly new.
    const auto found = std::find_if(message.parts.rbegin(), message.parts.rend(),
                                    [&](const Part& part) { return part.index == index; });
    if (found == message.parts.rend())
        return message.parts.emplace_back(Part{.index = index, .event = event});
    found->event = event;
    return *found;
}

void MessageOutline::add_part(const Event& event, const parley::Part& part) {
    if (part.place.message.is_nil()) return;
    MessageInfo info = info_of(event.session, part.place.message);
    if (part.kind == parley::Part::Kind::finish) {
        info.completed = event.at;
        info.finish = "stop";
        put(info);
        return;
    }
    Part& placed = put_part(put(info), part.place.index, event.cursor);
    if (part.kind == parley::Part::Kind::tool_input) calls_[part.part_id] = event.cursor;
    const auto call = calls_.find(part.part_id);
    if (call == calls_.end()) return;
    placed.call = call->second;
    if (part.kind == parley::Part::Kind::tool_output) calls_.erase(call);
}

void MessageOutline::add(const Event& event) {
    std::visit(Overload{
                   [&](const OneOf<AskOpened, AskSettled> auto& body) {
                       put_part(put(info_of(*body.ask)), 0, event.cursor);
                   },
                   [&](const PartAdded& added) { add_part(event, *added.part); },
                   [&](const MessageAdded& message) {
                       put_part(put(info_of(event.session, message, event.at)), 0, event.cursor);
                   },
                   [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                                  SessionEnded, MessagesTaken, NoticeGiven, AgentRevoked,
                                  TokenChanged, MarkChanged, ContentDeleted> auto&) {},
               },
               event.body);
}

const MessageOutline::Message* MessageOutline::find(std::string_view id) const {
    const auto place = places_.find(id);
    return place == places_.end() ? nullptr : &messages_[place->second];
}

const MessageOutline::Message* MessageOutline::last_of_agent() const {
    const auto found = std::find_if(messages_.rbegin(), messages_.rend(),
                                    [](const Message& message) { return !message.is_user; });
    return found == messages_.rend() ? nullptr : &*found;
}

std::string part_of(const Event& event, const Event* call) {
    return std::visit(
        Overload{
            [](const OneOf<AskOpened, AskSettled> auto& body) {
                return ask_part(*body.ask, AskPart::current);
            },
            [&](const MessageAdded& message) { return user_part(event.session, message); },
            [&](const PartAdded& added) {
                if (call == nullptr)
                    return agent_part(event.session, *added.part, event.at, nullptr);
                const Call input{std::get<PartAdded>(call->body).part, call->at};
                return agent_part(event.session, *added.part, event.at, &input);
            },
            // The outline has none of these.
            [](const OneOf<DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, MessagesTaken, NoticeGiven, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) { return std::string(); },
        },
        event.body);
}

std::string unanswered_prompt(SessionId session, MessageId prompt, Instant at,
                              std::string_view reason, const Scene& scene) {
    // Its id follows the prompt's, and no other message can have it.
    MessageInfo info =
        info_of(session, MessageId(IdBits{prompt.bits().high, prompt.bits().low + 1}));
    info.completed = at;
    info.parent = prompt.str();
    info.error = reason;
    std::string text;
    json::Writer out(text);
    write_info(out.begin_object().key("info"), info, scene);
    out.key("parts").begin_array().end_array().end_object();
    return text;
}

}  // namespace parley::opencode
