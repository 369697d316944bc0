// SPDX-License-Identifier: Apache-2.0
#include "agent/session_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/away.h"
#include "client/limits.h"

namespace parley {

SessionMessages::SessionMessages(Wiring wiring, std::string session, MessageId had,
                                 Listener& listener)
    : wiring_(wiring), session_(std::move(session)), listener_(listener), given_(had), had_(had) {}

void SessionMessages::try_later(Task task) {
    wiring_.home.post_at(wiring_.clock.mono() + limits::kRetryDelayMax,
                         alive_.guard(std::move(task)));
}

void SessionMessages::fetch() {
    wiring_.link.list_messages(session_,
                               alive_.guard([this](Result<std::vector<QueuedText>> messages) {
                                   fetched(std::move(messages));
                               }));
}

void SessionMessages::fetched(Result<std::vector<QueuedText>> messages) {
    if (!messages) return try_later([this] { fetch(); });
    // One that was killed had no time to say that it has them.
    if (!messages->empty() && messages->front().id <= had_) tell_taken();
    for (QueuedText& message : *messages) added(message.id, std::move(message.text));
    if (!unsaid_.empty() && saying_ != Saying::open) say_first();
    is_known_ = true;
    listener_.messages_known();
}

void SessionMessages::added(MessageId id, std::string text) {
    if (id <= given_ || waiting_.contains(id)) return;
    seen_ = std::max(seen_, id);
    if (saying_ != Saying::none && text == unsaid_.front()) is_heard_ = true;
    waiting_.emplace(id, std::move(text));
}

bool SessionMessages::is_any() const {
    return !waiting_.empty() || !unsaid_.empty() || std::max(seen_, given_) < said_;
}

std::vector<std::string> SessionMessages::give() {
    std::vector<std::string> texts;
    if (!waiting_.empty()) given_ = waiting_.rbegin()->first;
    for (auto& [id, text] : std::exchange(waiting_, {})) texts.push_back(std::move(text));
    return texts;
}

void SessionMessages::has(MessageId up_to) {
    if (up_to <= had_) return;
    had_ = up_to;
    tell_taken();
}

void SessionMessages::tell_taken() {
    if (std::exchange(is_taking_, true)) return;
    wiring_.link.take_messages(
        session_, had_,
        alive_.guard([this, up_to = had_](const Result<void>& result) { taken(up_to, result); }));
}

void SessionMessages::taken(MessageId up_to, const Result<void>& result) {
    if (!result && is_away(result.error()))
        return try_later([this] {
            is_taking_ = false;
            tell_taken();
        });
    is_taking_ = false;
    if (up_to < had_) return tell_taken();
    for (Task& task : std::exchange(when_told_, {})) task();
}

void SessionMessages::when_told(Task task) {
    if (!is_taking_) return task();
    when_told_.push_back(std::move(task));
}

void SessionMessages::say(std::string text) {
    unsaid_.push_back(std::move(text));
    if (unsaid_.size() == 1) say_first();
}

// One whose fate nobody knows is said again once the broker has told what it has.
void SessionMessages::say_first() {
    if (std::exchange(saying_, Saying::none) == Saying::lost && std::exchange(is_heard_, false)) {
        is_told_ = false;
        unsaid_.pop_front();
        if (unsaid_.empty()) return;
    }
    saying_ = Saying::open;
    wiring_.link.say(session_, unsaid_.front(),
                     alive_.guard([this](const Result<Said>& result) { said(result); }));
}

void SessionMessages::said(const Result<Said>& result) {
    saying_ = Saying::none;
    if (!result && is_away(result.error())) {
        saying_ = Saying::lost;
        if (!std::exchange(is_told_, true))
            listener_.messages_troubled(fmt::format(
                "the broker is away ({}); the message is kept, and said when it is back",
                result.error().message));
        return try_later([this] { fetch(); });
    }
    if (result) {
        said_ = result->id;
    } else {
        listener_.messages_troubled(
            fmt::format("the message was not taken: {}", result.error().message));
    }
    is_told_ = false;
    is_heard_ = false;
    unsaid_.pop_front();
    if (!unsaid_.empty()) say_first();
}

}  // namespace parley
