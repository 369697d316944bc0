// SPDX-License-Identifier: Apache-2.0
// What passes between an agent and people beside asks: the agent's stream, messages, notices.
//
// A session's stream keeps its order although deltas live in memory and whole parts in the store:
// while a part of the session is on its way to the store, what follows it waits.
#include <fmt/format.h>

#include <utility>

#include "broker/broker.h"
#include "broker/limits.h"
#include "core/limits.h"
#include "core/push_refusal.h"
#include "core/text_rules.h"
#include "core/weight.h"

namespace parley {

namespace {

constexpr std::string_view kSessionEnded = "the session has ended";

struct ItemWeight {
    std::size_t operator()(const PartDelta& delta) const { return weight_of(delta); }
    std::size_t operator()(const StreamPart& end) const { return weight_of(end.part); }
    std::size_t operator()(Activity) const { return sizeof(StreamItem); }
};

// The agent is given all of them in one answer.
bool is_full_of_messages(const Ledger::SessionEntry& entry) {
    if (entry.messages.size() >= limits::kQueuedMessagesMax) return true;
    std::size_t bytes = 0;
    for (const QueuedMessage& queued : entry.messages) bytes += weight_of(queued.message);
    return bytes >= limits::kQueuedMessagesBytes;
}

}  // namespace

void LoopBroker::push(std::string_view ref, std::vector<StreamItem> items, const Viewer& viewer,
                      Done<void> done) {
    const auto id = enter_live(ref, viewer);
    if (!id) return fail(done, id.error());
    AgentStream& stream = streams_[*id];
    if (stream.waiting_items + items.size() > limits::kStreamQueueMax)
        return fail(done, {ErrorCode::overloaded, "too much of this session's stream waits"});
    AgentStream::Push push{.items = std::move(items), .done = std::move(done)};
    for (const StreamItem& item : push.items) push.bytes += std::visit(ItemWeight{}, item);
    // What nobody waits before is taken at once, whatever the others hold.
    if (stream.is_writing && waiting_bytes_ + push.bytes > limits::kStreamsWaitingBytes)
        return fail(push.done, {ErrorCode::overloaded,
                                "the streams of all sessions hold more than the store has taken; "
                                "send it again in a while"});
    waiting_bytes_ += push.bytes;
    stream.waiting_items += push.items.size();
    stream.waiting.push_back(std::move(push));
    if (!stream.is_writing) advance_stream(*id);
}

void LoopBroker::advance_stream(SessionId id) {
    AgentStream& stream = streams_[id];
    const LiveLog::Position from = live_.end();
    while (!stream.waiting.empty() && !stream.is_writing) {
        AgentStream::Push& push = stream.waiting.front();
        if (push.next == push.items.size()) {
            finish_push(std::move(push), {});
            stream.waiting.pop_front();
            continue;
        }
        Result<void> result;
        StreamItem& item = push.items[push.next];
        if (auto* delta = std::get_if<PartDelta>(&item)) {
            result = add_delta(id, stream, std::move(*delta));
        } else if (auto* end = std::get_if<StreamPart>(&item)) {
            result = write_part(id, stream, std::move(*end));
        } else {
            write_activity(id, stream, std::get<Activity>(item));
        }
        if (!stream.is_writing) step_over(stream, std::move(result));
    }
    wake_readers(from);
}

// The next item of the first push is where it belongs, or was refused with all that follows it.
void LoopBroker::step_over(AgentStream& stream, Result<void> result) {
    AgentStream::Push& push = stream.waiting.front();
    if (result) {
        ++push.next;
        --stream.waiting_items;
        return;
    }
    stream.waiting_items -= push.items.size() - push.next;
    Error refused = refuse_item(std::move(result).error(), push.next);
    finish_push(std::move(push), reject(std::move(refused)));
    stream.waiting.pop_front();
}

Result<void> LoopBroker::add_delta(SessionId id, AgentStream& stream, PartDelta delta) {
    if (open_parts_bytes_ + delta.text.size() > limits::kAllOpenPartsBytes)
        return reject(ErrorCode::overloaded, "the unfinished parts of all sessions hold {} bytes",
                      open_parts_bytes_);
    delta.place = stream.places.find(delta, ids_, wiring_.clock.wall());
    const std::size_t before = stream.parts.bytes();
    auto shown = stream.parts.append(std::move(delta));
    open_parts_bytes_ += stream.parts.bytes() - before;
    if (!shown) return reject(std::move(shown).error());
    if (!*shown) return {};
    (*shown)->session = id;
    live_.add(std::make_shared<const PartDelta>(std::move(**shown)));
    return {};
}

void LoopBroker::finish_push(AgentStream::Push push, Result<void> result) {
    waiting_bytes_ -= push.bytes;
    wiring_.home.post([done = std::move(push.done), result = std::move(result)]() mutable {
        done(std::move(result));
    });
}

Result<void> LoopBroker::write_part(SessionId id, AgentStream& stream, StreamPart end) {
    auto whole = stream.parts.complete(std::move(end));
    if (!whole) return reject(std::move(whole).error());
    if (!*whole) return {};
    const Instant now = wiring_.clock.wall();
    (*whole)->place = stream.places.find(**whole, ids_, now);
    auto part = std::make_shared<const Part>(std::move(**whole));
    std::vector<Change> changes;
    changes.emplace_back(AddPart{id, now, part});
    if (part->kind == Part::Kind::finish) add_activity(id, Activity::idle, now, changes);
    stream.is_writing = true;
    write_stream(id, std::move(changes), std::move(part));
    return {};
}

void LoopBroker::close_part(AgentStream& stream, const Part& part) {
    open_parts_bytes_ -= stream.parts.bytes();
    stream.parts.close(part);
    open_parts_bytes_ += stream.parts.bytes();
    if (part.kind == Part::Kind::finish) stream.places.end_message();
}

// What this node writes is closed once that is acknowledged.
void LoopBroker::close_elsewhere(SessionId id, const Part& part) {
    const auto stream = streams_.find(id);
    if (stream != streams_.end() && !stream->second.is_writing) close_part(stream->second, part);
}

void LoopBroker::write_activity(SessionId id, AgentStream& stream, Activity activity) {
    std::vector<Change> changes;
    add_activity(id, activity, wiring_.clock.wall(), changes);
    if (changes.empty()) return;
    stream.is_writing = true;
    write_stream(id, std::move(changes), nullptr);
}

void LoopBroker::add_activity(SessionId id, Activity activity, Instant now,
                              std::vector<Change>& changes) const {
    const auto* entry = ledger_.find_session(id);
    if (entry == nullptr || entry->session->activity == activity) return;
    changes.emplace_back(ChangeSession{.session = id, .at = now, .activity = activity});
}

// `part` is what the changes add to the stream, if they do.
void LoopBroker::write_stream(SessionId id, std::vector<Change> changes,
                              std::shared_ptr<const Part> part) {
    wiring_.store.commit(std::move(changes),
                         alive_.guard([this, id, part = std::move(part)](
                                          Result<std::span<const ChangeOutcome>> outcomes) {
                             Result<void> written;
                             if (!outcomes) {
                                 written = reject(std::move(outcomes).error());
                             } else if (outcomes->front().verdict == Verdict::missing) {
                                 written = reject(ErrorCode::conflict, kSessionEnded);
                             }
                             if (auto ended = ended_streams_.extract(id); !ended.empty()) {
                                 step_over(ended.mapped(), std::move(written));
                                 return refuse_waiting(ended.mapped());
                             }
                             AgentStream& stream = streams_[id];
                             stream.is_writing = false;
                             if (written && part) close_part(stream, *part);
                             step_over(stream, std::move(written));
                             advance_stream(id);
                         }));
}

void LoopBroker::end_stream(SessionId id) {
    auto node = streams_.extract(id);
    if (node.empty()) return;
    AgentStream& stream = node.mapped();
    open_parts_bytes_ -= stream.parts.bytes();
    // What is on its way to the store may well be written: that decides what its push is told.
    if (!stream.is_writing) return refuse_waiting(stream);
    ended_streams_.insert(std::move(node));
}

void LoopBroker::refuse_waiting(AgentStream& stream) {
    for (AgentStream::Push& push : stream.waiting) {
        const bool is_whole = push.next == push.items.size();
        Result<void> result;
        if (!is_whole)
            result =
                reject(refuse_item({ErrorCode::conflict, std::string(kSessionEnded)}, push.next));
        finish_push(std::move(push), std::move(result));
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
    const Viewer viewer = actor.viewer();
    auto plan = plan_session({ref, std::nullopt, viewer});
    if (!plan) return fail(done, std::move(plan).error());
    const auto* entry = ledger_.find_session(plan->id);
    if (entry != nullptr && is_full_of_messages(*entry))
        return fail(done, {ErrorCode::overloaded,
                           "the session's agent has not taken the messages sent before"});
    const Instant now = wiring_.clock.wall();
    const bool is_waiting = entry != nullptr && !entry->pending.empty();
    const bool is_unheard = entry == nullptr || !has_agent(plan->id);
    std::vector<Change> changes;
    if (plan->to_open) changes.emplace_back(OpenSession{plan->to_open});
    changes.emplace_back(AddMessage{
        plan->id, now, {{}, normalize_newlines(text), decider_of(Decider::Kind::person, actor)}});
    auto told = [this, ref = std::string(ref), text = std::move(text), actor, plan = *plan,
                 calls_agent = is_unheard && !is_waiting && call_agent_,
                 done = std::move(done)](Result<std::optional<Said>> said) mutable {
        end_opening(plan.to_open);
        if (!said) return done(reject(std::move(said).error()));
        if (*said && calls_agent)
            return call_agent_(plan.id, [id = (*said)->id, done = std::move(done)](
                                            bool is_there) mutable { done(Said{id, !is_there}); });
        if (*said) return done(**said);
        if (was_opened_elsewhere({ref, std::nullopt, actor.viewer()}, plan.id))
            return say(ref, std::move(text), actor, std::move(done));
        done(reject(ErrorCode::conflict, kSessionEnded));
    };
    add_message(std::move(changes), is_waiting || is_unheard, alive_.guard(std::move(told)));
}

// Nothing: the session is not there, or over. Another node may have added a later one meanwhile, of
// which this one has heard by now.
void LoopBroker::add_message(std::vector<Change> changes, bool is_queued,
                             Done<std::optional<Said>> done) {
    auto& add = std::get<AddMessage>(changes.back());
    add.message.id = ids_.next<MessageKind>(add.at);
    wiring_.store.commit(std::move(changes), [this, end = alive_.watch(), add, is_queued,
                                              done = std::move(done)](auto outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        const Verdict verdict = outcomes->back().verdict;
        if (verdict == Verdict::missing) return done(std::nullopt);
        if (verdict == Verdict::conflict && !end.expired())
            return add_message({std::move(add)}, is_queued, std::move(done));
        done(Said{add.message.id, is_queued});
    });
}

void LoopBroker::take_messages(std::string_view ref, MessageId up_to, const Viewer& viewer,
                               Done<void> done) {
    const auto id = enter_live(ref, viewer);
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

void LoopBroker::give_notice(std::string_view ref, NoticeGiven notice, const Viewer& viewer,
                             Done<void> done) {
    Faults faults;
    check_text(notice.text, {.what = "notice", .bytes_max = limits::kNoticeBytes},
               json::Path() / "text", faults);
    if (!faults.empty()) return fail(done, std::move(faults).reject().value());
    SessionPlan place;
    if (!ref.empty()) {
        auto plan = plan_session({ref, std::nullopt, viewer});
        if (!plan) return fail(done, std::move(plan).error());
        place = std::move(*plan);
    }
    if (!notice.by.empty() && !notice_rate_.admit(notice.by, place.id, wiring_.clock.mono())) {
        end_opening(place.to_open);
        return fail(done, {ErrorCode::overloaded,
                           fmt::format("{} notices within {} seconds are enough for one session; "
                                       "wait, and say what is left in one",
                                       limits::kNoticesMax, limits::kNoticeWindow.count())});
    }
    notice.text = normalize_newlines(notice.text);
    std::vector<Change> changes;
    if (place.to_open) changes.emplace_back(OpenSession{place.to_open});
    changes.emplace_back(GiveNotice{place.id, wiring_.clock.wall(), std::move(notice)});
    wiring_.store.commit(std::move(changes), [this, end = alive_.watch(), to_open = place.to_open,
                                              done = std::move(done)](auto outcomes) mutable {
        if (!end.expired()) end_opening(to_open);
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (outcomes->back().verdict == Verdict::missing)
            return done(reject(ErrorCode::conflict, kSessionEnded));
        done({});
    });
}

}  // namespace parley
