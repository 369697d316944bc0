// SPDX-License-Identifier: Apache-2.0
// What passes between an agent and people beside asks: the agent's stream, messages, notices.
//
// A session's stream keeps its order although deltas live in memory and whole parts in the store:
// while a part of the session is on its way to the store, what follows it waits.
#include <fmt/format.h>

#include <utility>

#include "base/limits.h"
#include "broker/broker.h"
#include "broker/limits.h"
#include "core/text_rules.h"

namespace parley {

void LoopBroker::push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) {
    const auto id = resolve(ref);
    if (!id) return fail(done, id.error());
    if (ledger_.find_session(*id) == nullptr)
        return fail(done, {ErrorCode::not_found, "there is no live session " + id->str()});
    AgentStream& stream = streams_[*id];
    if (stream.waiting.size() + items.size() > limits::kStreamQueueMax)
        return fail(done, {ErrorCode::overloaded, "too much of this session's stream waits"});
    for (StreamItem& item : items) stream.waiting.push_back({std::move(item), {}});
    if (stream.waiting.empty()) {
        wiring_.home.post([done = std::move(done)]() mutable { done({}); });
        return;
    }
    stream.waiting.back().done = std::move(done);
    if (!stream.is_writing) advance_stream(*id);
}

void LoopBroker::advance_stream(SessionId id) {
    AgentStream& stream = streams_[id];
    const LiveLog::Position from = live_.end();
    while (!stream.waiting.empty() && !stream.is_writing) {
        AgentStream::Waiting next = std::move(stream.waiting.front());
        stream.waiting.pop_front();
        if (auto* delta = std::get_if<PartDelta>(&next.item)) {
            auto shown = add_delta(stream, std::move(*delta));
            if (shown && *shown) {
                (*shown)->session = id;
                live_.add(std::make_shared<const PartDelta>(std::move(**shown)));
            }
            if (next.done)
                finish_push(std::move(next.done), shown ? Result<void>{} : reject(shown.error()));
        } else if (auto* end = std::get_if<StreamPart>(&next.item)) {
            write_part(id, stream, std::move(*end), std::move(next.done));
        } else {
            write_activity(id, std::get<Activity>(next.item), std::move(next.done));
        }
    }
    wake_readers(from);
}

Result<std::optional<PartDelta>> LoopBroker::add_delta(AgentStream& stream, PartDelta delta) {
    if (open_parts_bytes_ + delta.text.size() > limits::kAllOpenPartsBytes)
        return reject(ErrorCode::overloaded, "the unfinished parts of all sessions hold {} bytes",
                      open_parts_bytes_);
    delta.place = stream.places.find(delta, ids_, wiring_.clock.wall());
    const std::size_t before = stream.parts.bytes();
    auto shown = stream.parts.append(std::move(delta));
    open_parts_bytes_ += stream.parts.bytes() - before;
    return shown;
}

void LoopBroker::finish_push(Done<void> done, Result<void> result) {
    wiring_.home.post([done = std::move(done), result = std::move(result)]() mutable {
        done(std::move(result));
    });
}

void LoopBroker::write_part(SessionId id, AgentStream& stream, StreamPart end, Done<void> done) {
    const bool is_finish = end.part.kind == Part::Kind::finish;
    open_parts_bytes_ -= stream.parts.bytes();
    auto part = stream.parts.complete(std::move(end));
    if (is_finish) stream.parts.clear();
    open_parts_bytes_ += stream.parts.bytes();
    if (!part || !*part) {
        if (done) finish_push(std::move(done), part ? Result<void>{} : reject(part.error()));
        return;
    }
    const Instant now = wiring_.clock.wall();
    (*part)->place = stream.places.find(**part, ids_, now);
    std::vector<Change> changes;
    changes.emplace_back(AddPart{id, now, std::make_shared<const Part>(std::move(**part))});
    if (is_finish) {
        stream.places.end_message();
        add_activity(id, Activity::idle, now, changes);
    }
    stream.is_writing = true;
    write_stream(id, std::move(changes), std::move(done));
}

void LoopBroker::write_activity(SessionId id, Activity activity, Done<void> done) {
    std::vector<Change> changes;
    add_activity(id, activity, wiring_.clock.wall(), changes);
    if (changes.empty()) {
        if (done) finish_push(std::move(done), {});
        return;
    }
    streams_[id].is_writing = true;
    write_stream(id, std::move(changes), std::move(done));
}

void LoopBroker::add_activity(SessionId id, Activity activity, Instant now,
                              std::vector<Change>& changes) const {
    const auto* entry = ledger_.find_session(id);
    if (entry == nullptr || entry->session->activity == activity) return;
    changes.emplace_back(ChangeSession{.session = id, .at = now, .activity = activity});
}

void LoopBroker::write_stream(SessionId id, std::vector<Change> changes, Done<void> done) {
    wiring_.store.commit(std::move(changes),
                         [this, alive = std::weak_ptr(alive_), id, done = std::move(done)](
                             Result<std::span<const ChangeOutcome>> outcomes) mutable {
                             if (alive.expired()) return;
                             if (done) {
                                 if (!outcomes) {
                                     done(reject(std::move(outcomes).error()));
                                 } else if (outcomes->front().verdict == Verdict::missing) {
                                     done(reject(ErrorCode::conflict, "the session has ended"));
                                 } else {
                                     done({});
                                 }
                             }
                             const auto stream = streams_.find(id);
                             if (stream == streams_.end()) return;
                             stream->second.is_writing = false;
                             advance_stream(id);
                         });
}

void LoopBroker::end_stream(SessionId id) {
    auto node = streams_.extract(id);
    if (node.empty()) return;
    open_parts_bytes_ -= node.mapped().parts.bytes();
    for (AgentStream::Waiting& waiting : node.mapped().waiting) {
        if (waiting.done)
            finish_push(std::move(waiting.done),
                        reject(ErrorCode::conflict, "the session has ended"));
    }
}

void LoopBroker::end_message(SessionId id) {
    if (const auto stream = streams_.find(id); stream != streams_.end())
        stream->second.places.end_message();
}

std::vector<PartDeltaPtr> LoopBroker::unfinished_parts(std::optional<SessionId> session) const {
    std::vector<PartDeltaPtr> all;
    for (const auto& [id, stream] : streams_) {
        if (session && id != *session) continue;
        for (PartDelta& delta : stream.parts.replacements()) {
            delta.session = id;
            all.push_back(std::make_shared<const PartDelta>(std::move(delta)));
        }
    }
    return all;
}

void LoopBroker::say(std::string_view ref, std::string text, const Actor& actor, Done<Said> done) {
    Faults faults;
    check_text(text, {.what = "message", .bytes_max = limits::kSaidBytes}, json::Path() / "text",
               faults);
    if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    if (auto room = check_room(); !room) return fail(done, std::move(room).error());
    auto plan = plan_session(std::string(ref), std::nullopt);
    if (!plan) return fail(done, std::move(plan).error());
    const auto* entry = ledger_.find_session(plan->id);
    if (entry != nullptr && entry->messages.size() >= limits::kQueuedMessagesMax)
        return fail(done, {ErrorCode::overloaded,
                           "the session's agent has not taken the messages sent before"});
    const Instant now = wiring_.clock.wall();
    const MessageId id = ids_.next<MessageKind>(now);
    const bool is_queued = entry == nullptr || !entry->pending.empty() || !has_agent(plan->id);
    std::vector<Change> changes;
    if (plan->to_open) changes.emplace_back(OpenSession{plan->to_open});
    changes.emplace_back(AddMessage{
        plan->id, now, {id, normalize_newlines(text), decider_of(Decider::Kind::person, actor)}});
    wiring_.store.commit(std::move(changes),
                         [id, is_queued, done = std::move(done)](auto outcomes) mutable {
                             if (!outcomes) return done(reject(std::move(outcomes).error()));
                             if (outcomes->back().verdict == Verdict::missing)
                                 return done(reject(ErrorCode::conflict, "the session has ended"));
                             done(Said{id, is_queued});
                         });
}

void LoopBroker::take_messages(std::string_view ref, MessageId up_to, Done<void> done) {
    const auto id = resolve(ref);
    if (!id) return fail(done, id.error());
    wiring_.store.commit(
        TakeMessages{*id, wiring_.clock.wall(), up_to},
        [id = *id, done = std::move(done)](auto outcomes) mutable {
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            if (outcomes->front().verdict == Verdict::missing)
                return done(reject(ErrorCode::not_found, "there is no live session {}", id.str()));
            done({});
        });
}

void LoopBroker::give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) {
    Faults faults;
    check_text(notice.text, {.what = "notice", .bytes_max = limits::kNoticeBytes},
               json::Path() / "text", faults);
    if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    SessionId session;
    std::vector<Change> changes;
    if (!ref.empty()) {
        auto plan = plan_session(std::string(ref), std::nullopt);
        if (!plan) return fail(done, std::move(plan).error());
        session = plan->id;
        if (plan->to_open) changes.emplace_back(OpenSession{plan->to_open});
    }
    if (!notice.by.empty() && !notice_rate_.admit(notice.by, session, wiring_.clock.mono()))
        return fail(done, {ErrorCode::overloaded,
                           fmt::format("{} notices within {} seconds are enough for one session; "
                                       "wait, and say what is left in one",
                                       limits::kNoticesMax, limits::kNoticeWindow.count())});
    notice.text = normalize_newlines(notice.text);
    changes.emplace_back(GiveNotice{session, wiring_.clock.wall(), std::move(notice)});
    wiring_.store.commit(std::move(changes), [done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (outcomes->back().verdict == Verdict::missing)
            return done(reject(ErrorCode::conflict, "the session has ended"));
        done({});
    });
}

}  // namespace parley
