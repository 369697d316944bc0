// SPDX-License-Identifier: Apache-2.0
#include "dialect/opencode_messages.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/limits.h"

namespace parley::opencode {

MessageList::Message& MessageList::put(const MessageInfo& info) {
    // What changes is mostly new.
    auto found = std::find_if(messages_.rbegin(), messages_.rend(),
                              [&](const Message& message) { return message.id == info.id; });
    if (found == messages_.rend()) {
        messages_.push_back({.id = info.id, .info = {}, .is_user = info.is_user});
        found = messages_.rbegin();
    }
    found->info.clear();
    json::Writer out(found->info);
    write_info(out, info, scene_);
    return *found;
}

void MessageList::put_part(Message& message, std::string id, std::string json) {
    const auto found = std::find_if(message.parts.begin(), message.parts.end(),
                                    [&](const Part& part) { return part.id == id; });
    bytes_ += json.size();
    if (found == message.parts.end()) {
        message.parts.push_back({std::move(id), std::move(json)});
    } else {
        bytes_ -= found->json.size();
        found->json = std::move(json);
    }
}

void MessageList::drop_oldest() {
    for (const Part& part : messages_.front().parts) bytes_ -= part.json.size();
    messages_.pop_front();
}

void MessageList::add_part(const Event& event, const std::shared_ptr<const parley::Part>& part) {
    if (part->place.message.is_nil()) return;
    MessageInfo info = info_of(event.session, part->place.message);
    if (part->kind == parley::Part::Kind::finish) {
        info.completed = event.at;
        info.finish = "stop";
        put(info);
        return;
    }
    if (part->kind == parley::Part::Kind::tool_input) calls_[part->part_id] = {part, event.at};
    const auto call = calls_.find(part->part_id);
    put_part(
        put(info), part_id(part->place),
        agent_part(event.session, *part, event.at, call == calls_.end() ? nullptr : &call->second));
    if (part->kind == parley::Part::Kind::tool_output) calls_.erase(part->part_id);
}

void MessageList::add(const Event& event) {
    const auto put_ask = [&](const Ask& ask) {
        put_part(put(info_of(ask)), ask.id.str(), ask_part(ask, AskPart::current));
    };
    if (const auto* opened = std::get_if<AskOpened>(&event.body)) {
        put_ask(*opened->ask);
    } else if (const auto* settled = std::get_if<AskSettled>(&event.body)) {
        put_ask(*settled->ask);
    } else if (const auto* added = std::get_if<PartAdded>(&event.body)) {
        add_part(event, added->part);
    } else if (const auto* message = std::get_if<MessageAdded>(&event.body)) {
        put_part(put(info_of(event.session, *message, event.at)), message->id.str(),
                 user_part(event.session, *message));
    }
    while (messages_.size() > limits::kMessagesListed ||
           (bytes_ > limits::kResponseBytes && messages_.size() > 1))
        drop_oldest();
}

void MessageList::write(json::Writer& out, const Message& message) {
    out.begin_object().key("info").raw(message.info).key("parts").begin_array();
    for (const Part& part : message.parts) out.raw(part.json);
    out.end_array().end_object();
}

std::string MessageList::document(std::size_t limit) const {
    std::string text;
    json::Writer out(text);
    out.begin_array();
    for (std::size_t i = messages_.size() - std::min(limit, messages_.size()); i < messages_.size();
         ++i)
        write(out, messages_[i]);
    out.end_array();
    return text;
}

std::string MessageList::find(std::string_view id) const {
    const auto found = std::find_if(messages_.begin(), messages_.end(),
                                    [&](const Message& message) { return message.id == id; });
    std::string text;
    json::Writer out(text);
    if (found != messages_.end()) write(out, *found);
    return text;
}

std::string MessageList::last_of_agent() const {
    const auto found = std::find_if(messages_.rbegin(), messages_.rend(),
                                    [](const Message& message) { return !message.is_user; });
    std::string text;
    json::Writer out(text);
    if (found != messages_.rend()) write(out, *found);
    return text;
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
