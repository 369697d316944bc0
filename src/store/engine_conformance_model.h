// SPDX-License-Identifier: Apache-2.0
// What an engine must do, written as plainly as possible: vectors and linear searches, no limits,
// no disk. The random part of the conformance suite compares engines with it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/change.h"
#include "store/engine.h"

namespace parley {

class StoreModel {
public:
    explicit StoreModel(Cursor first) : first_(first) {}

    std::vector<ChangeOutcome> commit(std::span<const Change> changes);

    Snapshot snapshot() const;
    AskPage asks(const AskQuery& query) const;
    std::vector<SessionPtr> sessions() const;
    const std::vector<EventPtr>& events() const { return events_; }
    // Of the last commit, as they were told with it: one may have deleted what another said.
    const std::vector<EventPtr>& told() const { return told_; }

private:
    struct MessageRow {
        QueuedMessage queued;
        bool is_taken = false;
    };

    ChangeOutcome apply(const OpenAsk& change);
    ChangeOutcome apply(const SettleAsk& change);
    ChangeOutcome apply(const OpenSession& change);
    ChangeOutcome apply(const ChangeSession& change);
    ChangeOutcome apply(const EndSession& change);
    ChangeOutcome apply(const AddPart& change);
    ChangeOutcome apply(const AddMessage& change);
    ChangeOutcome apply(const TakeMessages& change);
    ChangeOutcome apply(const GiveNotice& change);
    ChangeOutcome apply(const PutDraft& change);
    ChangeOutcome apply(const PutSnooze& change);
    ChangeOutcome apply(const PutToken& change);
    bool is_person_taken(const std::string& person, const std::string& principal);
    ChangeOutcome apply(const NamePerson& change);
    ChangeOutcome apply(const TouchToken& change);
    ChangeOutcome apply(const DropToken& change);
    ChangeOutcome apply(const PutMark& change);
    ChangeOutcome apply(const DeleteContent& change);

    std::vector<AskPtr> in_order(ListOrder order) const;
    AskPtr* ask(AskId id);
    SessionPtr* session(SessionId id);
    bool is_live(SessionId id);
    bool was_taken(SessionId session, MessageId message);
    void settle(AskPtr& ask, std::shared_ptr<const Settlement> settlement);
    void add_event(Instant at, SessionId session, EventBody body);

    Cursor first_;
    std::vector<AskPtr> asks_;
    std::vector<SessionPtr> sessions_;
    std::vector<MessageRow> messages_;
    std::vector<std::pair<SessionId, MessageId>> taken_;
    std::vector<KeptDraft> drafts_;
    std::vector<Snooze> snoozes_;
    std::vector<TokenPtr> tokens_;
    std::vector<MarkPtr> marks_;
    std::vector<EventPtr> events_;
    std::vector<EventPtr> told_;
};

}  // namespace parley
