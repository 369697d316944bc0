// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/session_stream.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.h"
#include "core/told_error.h"
#include "door/limits.h"
#include "text/json.h"

namespace parley::trpc {

SessionStream::SessionStream(FramePump::Wiring wiring, const Caller& caller,
                             const Procedure& procedure)
    : wiring_(wiring), procedure_(procedure), pump_(std::make_shared<FramePump>(wiring, caller)) {}

void SessionStream::start(const Call& call, std::optional<std::string> last_event_id) {
    if (call.fault) return fail(*call.fault);
    auto input = read_stream(call.input);
    if (!input) return fail(failure_of(input.error()));
    input_ = std::move(*input);
    if (last_event_id) input_.last_event_id = std::move(last_event_id);
    if (input_.last_event_id) resume_ = parse_resume(*input_.last_event_id);
    const Needs needs = input_.message.empty() ? Needs::token : Needs::responder;
    if (const auto failure = check_role(pump_->caller(), needs)) return fail(*failure);
    open_session();
}

void SessionStream::open_session() {
    auto told = [weak = weak_from_this()](const Result<SessionPtr>& found) {
        if (const auto self = weak.lock(); self && self->is_open()) self->opened(found);
    };
    const Viewer who = pump_->caller().viewer();
    if (!input_.session.empty())
        return wiring_.broker.enter_session(input_.session, who, std::move(told));
    if (resume_ && resume_->session)
        return wiring_.broker.find_session(resume_->session->str(), who, std::move(told));
    is_new_ = true;
    wiring_.broker.open_session({}, who, std::move(told));
}

void SessionStream::opened(const Result<SessionPtr>& found) {
    if (!found) return fail(told(found.error()));
    session_ = *found;
    if (session_->ended_at && !resume_)
        return fail({.key = FailureKey::not_found, .message = "the session has ended"});
    reached_.cursor = wiring_.broker.head();
    SubscribeRequest request{.session = session_->id};
    if (resume_) request.after = reached_.cursor = resume_->cursor;
    if (input_.session.empty()) reached_.session = session_->id;
    reached_.is_in_snapshot = !resume_ || resume_->is_in_snapshot;
    if (const auto subscribed = pump_->subscribe(std::move(request)); !subscribed)
        return fail(told(subscribed.error()));
    // One that comes back in the middle has not been told the end of its turn.
    const bool is_inside = resume_ && !input_.follows;
    events_.emplace(is_inside ? Activity::working : session_->activity);
    if (is_new_) events_->tell_created(session_->id);
    begin();
    if (resume_ && resume_->is_in_snapshot) resend_pending();
    if (!resume_ && !is_new_ && may_lose_place()) return retell_settled();
    go_on();
}

void SessionStream::go_on() {
    if (!input_.message.empty() && !input_.last_event_id) return say();
    pump_->feed(*this);
}

// The client may hold asks that were settled while it was away. It gets the newest settlements
// again, as many as a stream takes at once; for one that holds nothing they are no news. What is
// pending now, and what is asked from now on, is told by the subscription.
void SessionStream::retell_settled() {
    std::set<AskId> pending;
    for (const AskPtr& ask : wiring_.broker.pending_in(session_->id, pump_->caller().viewer()))
        pending.insert(ask->id);
    const Instant now = wiring_.clock.wall();
    auto told = [weak = weak_from_this(), pending = std::move(pending),
                 now](const Result<AskPage>& page) {
        const auto self = weak.lock();
        if (!self || !self->is_open()) return;
        if (!page) return self->end_with(self->told(page.error()));
        std::vector<StreamEvent> events;
        std::size_t bytes = 0;
        for (const AskPtr& ask : page->asks) {
            const bool is_news =
                !ask->is_pending() && ask->created_at <= now && !pending.contains(ask->id);
            if (!is_news) continue;
            events.push_back({.data = ask_settled_event(*ask)});
            bytes += events.back().data.size();
            if (bytes > limits::kEventQueueHigh) break;
        }
        std::ranges::reverse(events);
        self->tell_all(std::move(events));
        self->go_on();
    };
    wiring_.broker.list_asks({.session = session_->id, .order = ListOrder::newest_first},
                             pump_->caller().viewer(), std::move(told));
}

// The connection broke while the pending asks were being told: which of them arrived is not known.
void SessionStream::resend_pending() {
    for (const AskPtr& ask : wiring_.broker.pending_in(session_->id, pump_->caller().viewer()))
        tell_all({{.data = ask_question_event(*ask)}});
}

// No event, and so no id to come back with, before the message is durable: a client that loses its
// connection earlier says it again rather than not at all.
void SessionStream::say() {
    const bool was_busy = wiring_.broker.is_busy(session_->id, pump_->caller().viewer());
    wiring_.broker.say(session_->id.str(), input_.message, actor_of(pump_->caller()),
                       [weak = weak_from_this(), was_busy](const Result<Said>& reply) {
                           if (const auto self = weak.lock()) self->said(reply, was_busy);
                       });
}

void SessionStream::said(const Result<Said>& said, bool was_busy) {
    if (!is_open()) return;
    if (!said) return end_with(told(said.error()));
    ASSERT(events_);
    if (was_busy) events_->await_taken(said->id);
    if (said->is_queued) {
        std::string data;
        json::Writer out(data);
        out.begin_object().field("type", "message-queued").field("messageId", said->id.str());
        out.end_object();
        tell_all({{.data = std::move(data)}});
    }
    pump_->feed(*this);
}

void SessionStream::send(const Frame& frame) {
    const auto self = shared_from_this();  // its connection may let go of it
    ASSERT(events_);
    std::vector<StreamEvent> events;
    events_->render(frame, events);
    tell_all(std::move(events));
    const bool is_over = events_->is_session_over() || (events_->is_turn_over() && !input_.follows);
    if (!is_over || !is_open()) return;
    stop();
    complete();
}

void SessionStream::tell_of_store(const std::optional<Error>& away) {
    tell_all({notice_event(store_notice(away))});
}

void SessionStream::tell_all(std::vector<StreamEvent> events) {
    for (const StreamEvent& event : events) {
        if (event.cursor) {
            reached_.cursor = *event.cursor;
            reached_.is_in_snapshot = false;
        }
        // Untracked, an id inside the list of pending asks would be of no use to anybody.
        const bool has_id = procedure_.is_tracked || !reached_.is_in_snapshot;
        std::string id = has_id ? resume_text(reached_) : std::string();
        if (!is_open()) return;
        if (event.data.empty()) {
            mark(id);
        } else {
            tell({.data = event.data,
                  .id = std::move(id),
                  .is_tracked = procedure_.is_tracked,
                  .moves_on = event.cursor.has_value()});
        }
    }
}

void SessionStream::end_with(const Failure& failure) {
    stop();
    fail(failure);
}

Failure SessionStream::told(const Error& error) const {
    return failure_of(told_to(pump_->caller().viewer(), error));
}

void SessionStream::cut() {
    end_with({.key = FailureKey::unauthorized,
              .message = "the token that this subscription came with counts no longer"});
}

void SessionStream::break_off(const Error& error) {
    end_with({.key = FailureKey::internal_server_error, .message = told(error).message});
}

}  // namespace parley::trpc
