// SPDX-License-Identifier: Apache-2.0
// A store that lives as long as its process: for tests, the demo and embedding without a file. Runs
// on whatever thread its Store gives it; needs none of its own. Settled asks, ended sessions and
// events are kept up to a bound.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/block_cache.h"
#include "base/clock.h"
#include "store/engine.h"

namespace parley {

class MemoryEngine final : public Engine {
public:
    explicit MemoryEngine(const Clock& clock);

    // Opening again after close() finds what was there: the engine object is the store.
    [[nodiscard]] Result<Snapshot> open() override;
    void close() noexcept override {}
    [[nodiscard]] Result<CommitReport> commit(std::span<const Change> changes) override;
    [[nodiscard]] Result<AskPtr> find_ask(AskId id) override;
    [[nodiscard]] Result<AskPtr> find_ask_by_call(SessionId session,
                                                  std::string_view call_id) override;
    [[nodiscard]] Result<SessionPtr> find_session(SessionId id) override;
    [[nodiscard]] Result<AskPage> list_asks(const AskQuery& query) override;
    [[nodiscard]] Result<SessionPage> list_sessions(const SessionQuery& query) override;
    [[nodiscard]] Result<EventPage> list_events(const EventQuery& query) override;
    [[nodiscard]] Result<bool> tidy_up() override { return false; }
    // Messages that were taken are not kept anyway.
    [[nodiscard]] Result<Pruned> prune(const Retention& before) override;

private:
    struct SessionRow {
        SessionPtr session;
        std::size_t pending = 0;
        MessageId taken_up_to = {};
        std::deque<QueuedMessage> messages = {};
    };
    using Name = std::pair<SessionId, std::string>;
    using Asks =
        std::map<AskId, AskPtr, std::less<>, BlockAllocator<std::pair<const AskId, AskPtr>>>;

    // What they weigh is kept, so that forgetting does not have to read what they hold.
    struct SettledAsk {
        Asks::iterator row;
        std::size_t bytes;
    };
    struct KeptEvent {
        EventPtr event;
        std::size_t bytes;
    };

    ChangeOutcome apply(const OpenAsk& change);
    ChangeOutcome apply(const SettleAsk& change);
    ChangeOutcome apply(const OpenSession& change);
    ChangeOutcome apply(const ChangeSession& change);
    ChangeOutcome apply(const EndSession& change);
    bool has_pending_of_others(const EndSession& change) const;
    ChangeOutcome apply(const AddPart& change);
    ChangeOutcome apply(const AddMessage& change);
    ChangeOutcome apply(const TakeMessages& change);
    ChangeOutcome apply(const GiveNotice& change);
    ChangeOutcome apply(const PutDraft& change);
    ChangeOutcome apply(const PutSnooze& change);
    ChangeOutcome apply(const PutToken& change);
    ChangeOutcome apply(const NamePerson& change);
    ChangeOutcome apply(const TouchToken& change);
    ChangeOutcome apply(const DropToken& change);
    ChangeOutcome apply(const PutMark& change);
    ChangeOutcome apply(const DeleteContent& change);
    MarkPtr find_mark(const std::string& key) const;

    bool is_person_taken(const std::string& person, const std::string& principal) const;
    SessionRow* live_session(SessionId id);
    AskPtr named_before(const Ask& ask) const;
    void settle(Asks::iterator row, const std::shared_ptr<const Settlement>& settlement);
    void forget_settled();
    void forget_oldest_settled();
    void forget_oldest_event();
    void add_event(Instant at, SessionId session, EventBody body);
    void forget_events();

    const Clock& clock_;
    Asks asks_;
    std::map<Name, AskId> by_key_;
    std::map<Name, AskId> by_call_;
    std::deque<SettledAsk> settled_order_;
    std::size_t settled_bytes_ = 0;
    std::map<SessionId, SessionRow> sessions_;
    std::deque<SessionId> ended_order_;
    std::unordered_map<std::string, SessionId> live_names_;
    std::map<std::pair<AskId, std::string>, DraftPtr> drafts_;
    std::map<std::pair<AskId, std::string>, Instant> snoozes_;
    std::map<std::string, TokenPtr> tokens_;
    std::map<std::string, MarkPtr> marks_;
    std::deque<KeptEvent> events_;
    std::size_t events_bytes_ = 0;
    Cursor head_;
    Cursor oldest_;
    AskId top_ask_;
    SessionId top_session_;
    MessageId top_message_;
    CommitReport report_;  // of the transaction in hand
};

}  // namespace parley
