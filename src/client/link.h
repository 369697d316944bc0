// SPDX-License-Identifier: Apache-2.0
// The broker as a front sees it: the same calls whether the broker lives in this process or behind
// a socket. Who acts is fixed when a link is made; for whom, a settlement may say.
//
// A link lives on one executor: all calls and all callbacks happen there, and no callback runs
// inside the call that was given it. Each callback is called once, unless the link goes first: a
// link that is destroyed tells nobody anything any more. Handles may outlive their link.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_function.h"
#include "broker/requests.h"
#include "client/follow.h"
#include "core/answers.h"
#include "core/queries.h"
#include "parley/event.h"
#include "parley/ticket.h"
#include "parley/values.h"

namespace parley {

struct QueuedText {
    MessageId id;
    std::string text;
};

// A page of what happened in a session, in order.
struct SessionLog {
    std::vector<EventPtr> events;
    std::optional<Cursor> before = {};  // there is more before this one
};

// Which asks, and where their page begins: what every link can carry of an AskQuery.
struct AskListing {
    std::optional<AskState> state = {};
    std::optional<SessionId> session = {};
    std::optional<AskId> after = {};
    std::size_t limit = usual_page();
    ListOrder order = ListOrder::oldest_first;
};

inline AnswerRules rules_of(const AnswerOptions& options) {
    return {options.may_be_partial ? Completeness::partial : Completeness::whole};
}

// The right to be told when an ask is settled. Dropping it ends the wait, never the ask.
class LinkWait {
public:
    LinkWait() = default;
    explicit LinkWait(UniqueFunction<void()> cancel) : cancel_(std::move(cancel)) {}
    ~LinkWait() { cancel(); }
    LinkWait(LinkWait&&) noexcept = default;
    LinkWait& operator=(LinkWait&& other) noexcept {
        if (this != &other) {
            cancel();
            cancel_ = std::move(other.cancel_);
        }
        return *this;
    }

    // After this the callback is not called any more.
    void cancel() {
        if (cancel_) std::exchange(cancel_, nullptr)();
    }
    // Gives the handle up and waits on: it will be told, and cannot be cancelled any more.
    void release() { cancel_ = nullptr; }

private:
    UniqueFunction<void()> cancel_;
};

class Link {
public:
    virtual ~Link() = default;

    // Asks.
    virtual void ask(AskRequest request, Done<OpenedAsk> done) = 0;
    virtual void find_ask(AskId id, Done<AskPtr> done) = 0;
    virtual void list_asks(AskListing listing, Done<AskPage> done) = 0;
    // Gives the settled ask, however long that takes and however often the connection is lost
    // meanwhile. An Error is one that trying again would not mend.
    [[nodiscard]] virtual LinkWait wait(AskId id, Done<AskPtr> settled) = 0;

    // Settlements. What stands already is no error: the reply says whose it is.
    // `by` of the options is in place of the one that the link was made with.
    virtual void answer(AskId id, Answers answers, AnswerOptions options,
                        Done<SettleReply> done) = 0;
    virtual void dismiss(AskId id, DismissOptions options, Done<SettleReply> done) = 0;
    virtual void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) = 0;

    // What the one who acts keeps beside a pending ask. No draft is null.
    virtual void find_draft(AskId id, Done<DraftPtr> done) = 0;
    // `version` is the one that was seen last, 0 for none: what is newer is not overwritten, and
    // the reply brings it.
    virtual void put_draft(AskId id, Draft draft, Done<DraftReply> done) = 0;
    virtual void drop_draft(AskId id, Done<void> done) = 0;
    using Drafts = std::map<AskId, DraftPtr>;
    virtual void list_drafts(Done<Drafts> done) = 0;
    // Hides the ask from this responder's inboxes for so long; zero shows it again. Who follows is
    // told of both, and what is hidden already comes with the snapshot.
    virtual void snooze(AskId id, Millis period, Done<void> done) = 0;

    // Sessions. `ref` is an id or a client's own name.
    virtual void open_session(SessionRequest request, Done<SessionPtr> done) = 0;
    virtual void find_session(std::string_view ref, Done<SessionPtr> done) = 0;
    virtual void list_sessions(SessionQuery query, Done<SessionPage> done) = 0;
    virtual void end_session(std::string_view ref, std::optional<std::string> reason,
                             Done<SessionPtr> done) = 0;
    virtual void abort(std::string_view ref, Done<SessionPtr> done) = 0;

    // What is kept of what happened in a session, without drafts: the newest page, or the one
    // before that cursor.
    virtual void list_log(std::string_view ref, std::optional<Cursor> before,
                          Done<SessionLog> done) = 0;

    // The agent's side of a session: what it adds to its own stream, and the messages that it has
    // read, up to and with this one.
    virtual void push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) = 0;
    virtual void take_messages(std::string_view ref, MessageId up_to, Done<void> done) = 0;
    // What people said that the agent has not taken yet, in order.
    virtual void list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) = 0;
    // The people's side: a message to the agent.
    virtual void say(std::string_view ref, std::string text, Done<Said> done) = 0;
    // Tells people something without asking. An empty `ref` is no session.
    virtual void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) = 0;

    // Follows what happens (client/follow.h). The listener must outlive the handle.
    [[nodiscard]] virtual std::unique_ptr<Following> follow(FollowRequest request,
                                                            FollowListener& listener) = 0;
};

}  // namespace parley
