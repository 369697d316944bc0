// SPDX-License-Identifier: Apache-2.0
// A link to a broker in this process. Lives on the broker's executor and must not outlive the
// broker; it may outlive the broker's readiness: what is asked then fails as the broker says.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "broker/broker.h"
#include "client/link.h"
#include "core/profile.h"
#include "core/settle.h"
#include "core/told_error.h"

namespace parley {

class LocalLink final : public Link {
public:
    struct Wiring {
        Executor& home;  // the broker's
        const Clock& clock;
        LoopBroker& broker;
    };

    LocalLink(Wiring wiring, Actor actor, Profile profile = kOpenProfile);

    void ask(AskRequest request, Done<OpenedAsk> done) override;
    void find_ask(AskId id, Done<AskPtr> done) override;
    void list_asks(AskListing listing, Done<AskPage> done) override;
    [[nodiscard]] LinkWait wait(AskId id, Done<AskPtr> settled) override;

    void answer(AskId id, Answers answers, AnswerOptions options, Done<SettleReply> done) override;
    void dismiss(AskId id, DismissOptions options, Done<SettleReply> done) override;
    void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) override;

    void find_draft(AskId id, Done<DraftPtr> done) override;
    void put_draft(AskId id, Draft draft, Done<DraftReply> done) override;
    void drop_draft(AskId id, Done<void> done) override;
    void list_drafts(Done<Drafts> done) override;
    void snooze(AskId id, Millis period, Done<void> done) override;

    void open_session(SessionRequest request, Done<SessionPtr> done) override;
    void find_session(std::string_view ref, Done<SessionPtr> done) override;
    void list_sessions(SessionQuery query, Done<SessionPage> done) override;
    void end_session(std::string_view ref, std::optional<std::string> reason,
                     Done<SessionPtr> done) override;
    void abort(std::string_view ref, Done<SessionPtr> done) override;
    void list_log(std::string_view ref, std::optional<Cursor> before,
                  Done<SessionLog> done) override;

    void push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) override;
    void take_messages(std::string_view ref, MessageId up_to, Done<void> done) override;
    void list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) override;
    void say(std::string_view ref, std::string text, Done<Said> done) override;
    void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) override;

    [[nodiscard]] std::unique_ptr<Following> follow(FollowRequest request,
                                                    FollowListener& listener) override;

private:
    // The same callback, silent once the link is gone; an agent hears nothing of the machine.
    template <class T>
    Done<T> while_alive(Done<T> done) {
        return alive_.guard(
            [is_agent = is_agent_, done = std::move(done)](Result<T> result) mutable {
                if (!result && is_agent) result = reject(told_to_agents(std::move(result).error()));
                done(std::move(result));
            });
    }

    // Who acts, for that person.
    Actor actor_for(std::optional<std::string> by) const;

    struct Pending {
        Done<AskPtr> settled;
        Wait wait = {};
    };

    Wiring wiring_;
    Actor actor_;
    bool is_agent_;
    Profile profile_;
    // Kept here and not in the handles, which may outlive the broker.
    std::unordered_map<std::uint64_t, Pending> waits_;
    std::uint64_t next_wait_ = 1;
    Lifetime alive_;
};

}  // namespace parley
