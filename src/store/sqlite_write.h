// SPDX-License-Identifier: Apache-2.0
// Applies changes to a SQLite store inside the transaction that the engine opened: the rows, the
// events beside them, and what became of each change. Internal to the SQLite engine.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "store/change.h"
#include "store/engine.h"
#include "store/sqlite_db.h"
#include "store/sqlite_filing.h"
#include "store/sqlite_read.h"
#include "store/sqlite_schema.h"

namespace parley::sqlite {

class Writer {
public:
    // Both must outlive the writer; `loaded` is what they hold.
    Writer(const Connection& connection, Reader& reader, const Snapshot& loaded, Filing filing);

    // Any Error leaves the writer unfit for more: the transaction must be rolled back and the
    // store opened again.
    [[nodiscard]] Result<CommitReport> apply(std::span<const Change> changes);

    Cursor head() const { return head_; }
    Cursor filed() const { return filing_.filed(); }
    // Before they are dropped, in the same transaction.
    [[nodiscard]] Result<void> forget_events(Cursor up_to) { return filing_.forget_events(up_to); }

    // Whatever is not filed yet.
    [[nodiscard]] Result<void> file_all() { return filing_.file_up_to(head_); }

    // Events of a transaction whose outcome was unknown and that turned out to be stored. Parts,
    // notices and revocations leave no row to know them by: offered again, they are recognised
    // here.
    void recognise(std::vector<EventPtr> stored_before) { recognised_ = std::move(stored_before); }

private:
    [[nodiscard]] Result<ChangeOutcome> apply_one(const OpenAsk& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const SettleAsk& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const OpenSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const ChangeSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const EndSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const AddPart& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const AddMessage& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const TakeMessages& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const GiveNotice& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutDraft& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutSnooze& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const NamePerson& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const TouchToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const DropToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutMark& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const DeleteContent& change);

    [[nodiscard]] Result<ChangeOutcome> explain_refused_ask(const Ask& ask);
    // Whether the mark that it rests on stands.
    [[nodiscard]] Result<bool> may_settle(const SettleAsk& change);
    // False if the ask is not pending.
    [[nodiscard]] Result<bool> mark_settled(AskId id, const Settlement& settlement,
                                            std::string_view record);
    [[nodiscard]] Result<bool> has_pending_of_others(const EndSession& change);
    [[nodiscard]] Result<void> withdraw_asks(const EndSession& change);
    bool is_live(SessionId id) const { return live_.contains(id); }
    // The session of a pending ask; nil if there is no such ask.
    [[nodiscard]] Result<SessionId> session_of_pending(AskId id);
    [[nodiscard]] Result<bool> has_token(std::string_view principal);
    [[nodiscard]] Result<bool> is_person_taken(std::string_view person, std::string_view principal);
    [[nodiscard]] Result<std::optional<Instant>> find_snooze(AskId ask, std::string_view principal);
    // Null if there is none.
    [[nodiscard]] Result<DraftPtr> find_draft(AskId ask, std::string_view principal);

    struct EventRow {
        EventType type;
        Instant at;
        SessionId session;
        std::optional<AskId> ask = {};
        std::optional<std::string_view> doc = {};
    };
    [[nodiscard]] Result<void> add_event(const EventRow& row, EventBody body);
    // As it stands now.
    [[nodiscard]] Result<void> add_token_event(Instant at, std::string_view name);
    bool was_stored_before(Instant at, SessionId session, const EventBody& body);
    Cursor next() const { return {head_.value + 1}; }

    const Connection& connection_;
    Reader& reader_;
    Filing filing_;
    Cursor head_;
    CommitReport report_;  // of the transaction in hand
    std::vector<EventPtr> recognised_;
    // Pending asks with drafts or snoozes: few, and known, so that settling all others need not
    // look for them.
    std::unordered_set<AskId> noted_;
    // Sessions that have not ended: whatever belongs to one is refused where it has.
    std::unordered_set<SessionId> live_;

    Statement insert_event_;
    Statement insert_ask_;
    Statement settle_ask_;
    Statement drop_drafts_;
    Statement drop_snoozes_;
    Statement pending_session_;
    Statement insert_session_;
    Statement update_session_;
    Statement end_session_;
    Statement insert_message_;
    Statement take_messages_;
    Statement draft_;
    Statement put_draft_;
    Statement snooze_;
    Statement put_snooze_;
    Statement drop_snooze_;
    Statement insert_token_;
    Statement person_taken_;
    Statement tokens_of_;
    Statement name_person_;
    Statement touch_token_;
    Statement drop_token_;
    Statement put_mark_;
    Statement drop_mark_;
    Statement blank_ask_;
};

}  // namespace parley::sqlite
