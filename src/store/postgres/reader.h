// SPDX-License-Identifier: Apache-2.0
// Rows of a PostgreSQL store as values: the snapshot, single asks and sessions, pages, the feed.
// Never writes. Internal to the PostgreSQL engine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/engine.h"
#include "store/postgres/connection.h"
#include "store/recent_specs.h"
#include "store/stored_events.h"

namespace parley::postgres {

// All of an event, as stored::read_event reads it, where `where` holds.
std::string select_events(std::string_view where);
std::string select_asks(std::string_view rest);
[[nodiscard]] Result<AskPtr> read_one_ask(Rows rows);
Rejection too_far_behind();

class Reader {
public:
    // `connection` must outlive the reader.
    explicit Reader(Connection& connection);

    // One moment of the store, whatever others write meanwhile.
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
    [[nodiscard]] Result<EventPage> list_events(const EventQuery& query);

    // What was written next after `from`, up to kFeedAtOnce. `unavailable` where there is too much,
    // or some was dropped by now: all is to be read anew then.
    [[nodiscard]] Result<FeedSlice> read_feed(Cursor from);
    // Those parts, notices and revocations after `after` that may be the ones `offered`, or these
    // where nobody can tell any more, since events were dropped.
    [[nodiscard]] Result<std::vector<EventPtr>> find_stored(Cursor after,
                                                            const std::vector<EventPtr>& offered);
    // The events in rows of select_events(). For the feed, what asks say is read once.
    [[nodiscard]] Result<std::vector<EventPtr>> read_events(
        Rows rows, stored::EventsFor use = stored::EventsFor::feed);
    // Of asks that this node opens or settles itself.
    stored::RecentSpecs& recent_specs() { return recent_; }

    struct Bounds {
        Cursor oldest;
        Cursor head;
    };
    [[nodiscard]] Result<Bounds> read_bounds();

private:
    [[nodiscard]] static Result<Bounds> bounds_in(Rows rows);
    [[nodiscard]] Result<void> load_all(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_cursors(Snapshot& snapshot);
    template <class T, class Read>
    [[nodiscard]] Result<void> load_rows(std::vector<T>& loaded, const std::string& sql, Read read);
    [[nodiscard]] Result<void> load_asks(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_sessions(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_responders(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_tokens(Snapshot& snapshot);
    [[nodiscard]] Result<void> load_marks(Snapshot& snapshot);

    // At most `count` asks that come next in the list that is the shortest, and whether each fits.
    [[nodiscard]] Result<Rows> list_candidates(const AskQuery& query, std::size_t count);
    [[nodiscard]] Result<Rows> list_settled(const AskQuery& query, std::size_t count);
    struct EventSpan {
        std::optional<Cursor> first = {};
        Cursor last = {};
        bool has_more = false;
    };
    // As much after `from` as a page may hold by its length in the store.
    [[nodiscard]] Result<EventSpan> measure_page(const EventQuery& query, Cursor from);
    // Kept by its text.
    Statement& statement(const std::string& sql);

    Connection& connection_;
    stored::RecentSpecs recent_;
    std::map<std::string, Statement, std::less<>> statements_;
    Statement ask_;
    Statement ask_by_key_;
    Statement ask_by_call_;
    Statement settled_at_;
    Statement session_;
    Statement live_session_;
    Statement token_;
    Statement mark_;
    Statement feed_;
    Statement bounds_;
};

}  // namespace parley::postgres
