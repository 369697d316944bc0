// SPDX-License-Identifier: Apache-2.0
#include "client/local_link.h"

#include <utility>
#include <variant>

#include "broker/visible.h"
#include "client/local_follow.h"
#include "core/limits.h"

namespace parley {

LocalLink::LocalLink(Wiring wiring, Actor actor, Profile profile)
    : wiring_(wiring),
      actor_(std::move(actor)),
      is_agent_(parley::is_agent(actor_.viewer())),
      profile_(profile) {}

void LocalLink::ask(AskRequest request, Done<OpenedAsk> done) {
    wiring_.broker.ask(std::move(request), profile_, actor_, while_alive(std::move(done)));
}

void LocalLink::find_ask(AskId id, Done<AskPtr> done) {
    wiring_.broker.find_ask(id, actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::list_asks(AskListing listing, Done<AskPage> done) {
    const auto& [state, session, after, limit, order] = listing;
    wiring_.broker.list_asks(
        {.state = state, .session = session, .after = after, .limit = limit, .order = order},
        actor_.viewer(), while_alive(std::move(done)));
}

LinkWait LocalLink::wait(AskId id, Done<AskPtr> settled) {
    const std::uint64_t number = next_wait_++;
    Pending& pending = waits_[number];
    pending.settled = while_alive(std::move(settled));
    pending.wait =
        wiring_.broker.wait(id, actor_.viewer(), alive_.guard([this, number](Result<AskPtr> ask) {
            auto told = waits_.extract(number);
            if (told) told.mapped().settled(std::move(ask));
        }));
    return LinkWait(alive_.guard([this, number] { waits_.erase(number); }));
}

Actor LocalLink::actor_for(std::optional<std::string> by) const {
    Actor actor = actor_;
    if (by) actor.claimed = std::move(by);
    return actor;
}

void LocalLink::answer(AskId id, Answers answers, AnswerOptions options, Done<SettleReply> done) {
    wiring_.broker.answer(id, std::move(answers), rules_of(options),
                          actor_for(std::move(options.by)), while_alive(std::move(done)));
}

void LocalLink::dismiss(AskId id, DismissOptions options, Done<SettleReply> done) {
    wiring_.broker.dismiss(id, std::move(options.reason), actor_for(std::move(options.by)),
                           while_alive(std::move(done)));
}

void LocalLink::withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) {
    wiring_.broker.withdraw(id, std::move(reason), actor_, while_alive(std::move(done)));
}

void LocalLink::find_draft(AskId id, Done<DraftPtr> done) {
    wiring_.home.post([draft = wiring_.broker.draft(id, actor_.principal),
                       done = while_alive(std::move(done))]() mutable { done(std::move(draft)); });
}

void LocalLink::put_draft(AskId id, Draft draft, Done<DraftReply> done) {
    DraftRequest request{.answers = std::move(draft.answers),
                         .device = std::move(draft.device),
                         .seen = draft.version};
    wiring_.broker.put_draft(id, actor_.viewer(), std::move(request), while_alive(std::move(done)));
}

void LocalLink::drop_draft(AskId id, Done<void> done) {
    wiring_.broker.put_draft(
        id, actor_.viewer(), {},
        [done = while_alive(std::move(done))](Result<DraftReply> reply) mutable {
            done(reply ? Result<void>() : reject(std::move(reply).error()));
        });
}

void LocalLink::list_drafts(Done<Drafts> done) {
    wiring_.home.post([drafts = wiring_.broker.drafts_of(actor_.principal),
                       done = while_alive(std::move(done))]() mutable { done(std::move(drafts)); });
}

void LocalLink::snooze(AskId id, Millis period, Done<void> done) {
    std::optional<Instant> until;
    if (period > Millis::zero()) until = wiring_.clock.wall() + period;
    wiring_.broker.snooze(id, actor_.viewer(), until, while_alive(std::move(done)));
}

void LocalLink::open_session(SessionRequest request, Done<SessionPtr> done) {
    wiring_.broker.open_session(std::move(request), actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::find_session(std::string_view ref, Done<SessionPtr> done) {
    wiring_.broker.find_session(ref, actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::list_sessions(SessionQuery query, Done<SessionPage> done) {
    wiring_.broker.list_sessions(query, actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::end_session(std::string_view ref, std::optional<std::string> reason,
                            Done<SessionPtr> done) {
    wiring_.broker.end_session(ref, std::move(reason), actor_, while_alive(std::move(done)));
}

void LocalLink::abort(std::string_view ref, Done<SessionPtr> done) {
    wiring_.broker.abort(ref, actor_, while_alive(std::move(done)));
}

void LocalLink::list_log(std::string_view ref, std::optional<Cursor> before,
                         Done<SessionLog> done) {
    auto told = [done = while_alive(std::move(done))](Result<ShownEvents> page) mutable {
        if (!page) return done(reject(std::move(page).error()));
        SessionLog log;
        log.before = page->next;
        log.events.assign(page->events.rbegin(), page->events.rend());
        done(std::move(log));
    };
    auto found = alive_.guard(
        [this, before, told = std::move(told)](const Result<SessionPtr>& session) mutable {
            if (!session) return told(reject(session.error()));
            wiring_.broker.list_events({.after = before.value_or(Cursor()),
                                        .session = (*session)->id,
                                        .limit = limits::kListPageMax,
                                        .order = ListOrder::newest_first},
                                       actor_.viewer(), std::move(told));
        });
    wiring_.broker.find_session(ref, actor_.viewer(), std::move(found));
}

void LocalLink::push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) {
    wiring_.broker.push(ref, std::move(items), actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::take_messages(std::string_view ref, MessageId up_to, Done<void> done) {
    wiring_.broker.take_messages(ref, up_to, actor_.viewer(), while_alive(std::move(done)));
}

void LocalLink::say(std::string_view ref, std::string text, Done<Said> done) {
    wiring_.broker.say(ref, std::move(text), actor_, while_alive(std::move(done)));
}

void LocalLink::list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) {
    const auto* entry = wiring_.broker.find_live(ref, actor_.viewer());
    std::vector<QueuedText> texts;
    if (entry != nullptr)
        for (const QueuedMessage& queued : entry->messages)
            texts.push_back({queued.message.id, queued.message.text});
    wiring_.home.post([texts = std::move(texts), done = while_alive(std::move(done))]() mutable {
        done(std::move(texts));
    });
}

void LocalLink::give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) {
    notice.by = actor_.name.value_or(actor_.principal);
    wiring_.broker.give_notice(ref, std::move(notice), actor_.viewer(),
                               while_alive(std::move(done)));
}

std::unique_ptr<Following> LocalLink::follow(FollowRequest request, FollowListener& listener) {
    const auto follow = std::make_shared<LocalFollow>(
        LocalFollow::Wiring{wiring_.home, wiring_.broker, alive_.watch()}, actor_.viewer(),
        listener);
    follow->start(request);
    return LocalFollow::make_handle(follow);
}

}  // namespace parley
