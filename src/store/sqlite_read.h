// SPDX-License-Identifier: Apache-2.0
// Rows of a SQLite store as values: the snapshot, single asks and sessions, pages. Internal to the
// SQLite engine; never writes.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/engine.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

class Reader {
public:
    // `connection` must outlive the reader.
    explicit Reader(const Connection& connection);

    [[nodiscard]] Result<Snapshot> load();

    // Null when there is none.
    [[nodiscard]] Result<AskPtr> find_ask(AskId id);
    [[nodiscard]] Result<AskPtr> find_ask_by_key(SessionId session, std::string_view key);
    [[nodiscard]] Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id);
    [[nodiscard]] Result<SessionPtr> find_session(SessionId id);
    [[nodiscard]] Result<SessionPtr> find_live_session(std::string_view name);
    [[nodiscard]] Result<TokenPtr> find_token(std::string_view name);
    [[nodiscard]] Result<MarkPtr> find_mark(std::string_view key);

    [[nodiscard]] Result<AskPage> list_asks(const AskQuery& query);
    [[nodiscard]] Result<SessionPage> list_sessions(const SessionQuery& query);
    // `query.after` must lie inside what is kept: gaps are the caller's to see.
    [[nodiscard]] Result<EventPage> list_events(const EventQuery& query);

private:
    [[nodiscard]] Result<void> load_cursors(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_asks(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_sessions(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_responders(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_tokens(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_marks(Snapshot& snapshot);

    // At most `count` that come next and may fit.
    [[nodiscard]] Result<std::vector<AskId>> list_ask_ids(const AskQuery& query, std::size_t count);
    [[nodiscard]] Result<std::vector<AskId>> list_settled_ids(const AskQuery& query,
                                                              std::size_t count);
    [[nodiscard]] Result<EventPage> list_events_of_session(const EventQuery& query,
                                                           SessionId session, Cursor from);
    [[nodiscard]] Result<std::vector<Cursor>> list_cursors(const EventQuery& query,
                                                           SessionId session, Cursor from);

    // The lists of the ids of asks in one order.
    struct AskLists {
        AskLists(const Connection& connection, ListOrder order);

        Statement all;
        Statement pending;
        Statement pending_of_session;
        Statement in_state;  // a settled one, as below
        Statement of_session;
        Statement of_asker;
    };
    // The lists of the cursors of a session's events in one order.
    struct CursorLists {
        CursorLists(const Connection& connection, ListOrder order);

        Statement filed;
        Statement unfiled;
    };
    // The lists of sessions in one order.
    struct SessionLists {
        SessionLists(const Connection& connection, ListOrder order);

        Statement all;
        Statement live;
        Statement ended;
    };

    const Connection& connection_;
    Statement ask_;
    Statement ask_by_key_;
    Statement ask_by_call_;
    AskLists oldest_asks_;
    AskLists newest_asks_;
    Statement settled_at_;
    Statement settled_asks_;
    Statement session_;
    Statement live_session_;
    SessionLists oldest_sessions_;
    SessionLists newest_sessions_;
    Statement token_;
    Statement mark_;
    Statement event_;
    Statement events_;
    Statement newest_events_;
    CursorLists oldest_cursors_;
    CursorLists newest_cursors_;
};

}  // namespace parley::sqlite
