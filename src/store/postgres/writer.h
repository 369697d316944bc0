// SPDX-License-Identifier: Apache-2.0
// Applies changes to a PostgreSQL store in one transaction: the rows, the events beside them, and
// what became of each change. Statements of changes that need no answer of each other's are sent
// together. Internal to the PostgreSQL engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/change.h"
#include "store/engine.h"
#include "store/postgres/connection.h"
#include "store/postgres/reader.h"
#include "store/postgres/writer_statements.h"
#include "store/stored_numbers.h"

namespace parley::postgres {

class Writer {
public:
    // Both must outlive the writer.
    Writer(Connection& connection, Reader& reader);

    // Opens the transaction and applies all changes, without an event. An Error leaves a
    // transaction that must be rolled back.
    [[nodiscard]] Result<void> apply(std::span<const Change> changes);
    // Writes the events, reports what others wrote after `fed` too, and commits.
    [[nodiscard]] Result<CommitReport> publish(Cursor fed);

    // Of the transaction in hand, once applied.
    std::int64_t transaction() const { return transaction_; }
    // Whether the server has said so, whatever went wrong after that.
    bool is_committed() const { return is_committed_; }
    // Parts, notices and revocations leave no row to know them by.
    std::vector<EventPtr> events_without_rows() const;

    // Such events of a transaction whose outcome was unknown and that turned out to be stored:
    // offered again, they are recognised here.
    void recognise(std::vector<EventPtr> stored_before) { recognised_ = std::move(stored_before); }

private:
    // What a change waits for that was sent and has not been answered.
    struct Sent {
        std::size_t index;
        bool has_answer = true;
    };
    // Refused because of what another node wrote at the same moment: looked at again.
    struct Unexplained {
        std::size_t index;
        const Change* change;
    };
    struct EventRow {
        stored::EventType type;
        Instant at;
        SessionId session;
        std::optional<AskId> ask = {};
        std::optional<MessageId> message = {};
        std::optional<std::string> doc = {};
    };
    struct NewEvent {
        EventRow row;
        EventBody body;
    };

    [[nodiscard]] Result<void> send_locks(std::span<const Change> changes);
    [[nodiscard]] Result<void> take_sent(std::span<const Change> changes);
    [[nodiscard]] Result<void> explain_rest();

    // True if it was sent, or waits for those before it; false if it cannot be.
    [[nodiscard]] Result<bool> send_one(const Change& change, Sent& sent);
    [[nodiscard]] Result<void> send_change(const OpenAsk& change);
    [[nodiscard]] Result<void> send_change(const SettleAsk& change);
    [[nodiscard]] Result<void> send_change(const AddMessage& change);
    [[nodiscard]] Result<void> send_change(const TakeMessages& change);
    [[nodiscard]] Result<ChangeOutcome> take_one(const Sent& sent, const Change& change);
    ChangeOutcome take(const OpenAsk& change, const Rows& rows);
    [[nodiscard]] Result<ChangeOutcome> take(const SettleAsk& change, Rows rows);
    ChangeOutcome take(const AddPart& change, const Rows& rows);
    ChangeOutcome take(const GiveNotice& change, bool is_live);
    ChangeOutcome take(const AddMessage& change, Rows rows);
    ChangeOutcome take(const TakeMessages& change, Rows rows);

    // There and back.
    [[nodiscard]] Result<ChangeOutcome> apply_one(const OpenSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const ChangeSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const EndSession& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutDraft& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutSnooze& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const NamePerson& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const TouchToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const DropToken& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const PutMark& change);
    [[nodiscard]] Result<ChangeOutcome> apply_one(const DeleteContent& change);

    [[nodiscard]] Result<ChangeOutcome> explain_refused(const OpenAsk& change);
    [[nodiscard]] Result<ChangeOutcome> explain_refused(const SettleAsk& change);
    [[nodiscard]] Result<bool> has_pending_of_others(const EndSession& change);
    [[nodiscard]] Result<void> withdraw_asks(const EndSession& change);
    [[nodiscard]] Result<SessionId> session_of_pending(AskId id);
    [[nodiscard]] Result<bool> is_person_taken(std::string_view person, std::string_view principal);

    void add_event(EventRow row, EventBody body);
    [[nodiscard]] Result<void> add_token_event(Instant at, const std::string& name);
    bool was_stored_before(Instant at, SessionId session, const EventBody& body);
    [[nodiscard]] Result<void> send_events(Cursor fed);
    [[nodiscard]] Result<void> read_others(std::vector<EventPtr>& events, Cursor from, Cursor last);

    Connection& connection_;
    Reader& reader_;
    std::vector<EventPtr> recognised_;
    // Of the transaction in hand.
    std::vector<ChangeOutcome> outcomes_;
    std::vector<NewEvent> events_;
    std::vector<Sent> sent_;
    std::vector<Unexplained> unexplained_;
    std::vector<AskId> settled_;
    std::size_t answers_before_ = 0;  // to be received before those of changes
    std::int64_t transaction_ = 0;
    bool is_committed_ = false;

    WriterStatements sql_;
};

}  // namespace parley::postgres
