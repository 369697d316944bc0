// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/prune.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "store/limits.h"
#include "store/postgres/schema.h"
#include "store/postgres/values.h"
#include "text/time_text.h"

namespace parley::postgres {

namespace {

template <class IdType>
Array take_ids(Rows& rows, IdType& last) {
    Array ids = Array::of_ids();
    while (rows.next()) {
        last = rows.template id<IdType>(0);
        ids.add(last);
    }
    return ids;
}

}  // namespace

void Pruning::start_over() {
    has_seen_messages_ = false;
    last_message_ = {};
    last_session_ = {};
}

Result<Pruned> Pruning::prune(const Retention& before) {
    CHECK_OK(connection_.send(begin_));
    CHECK_OK(connection_.send(lock_));
    CHECK_OK(connection_.send(format_));
    CHECK_OK(connection_.sync());
    CHECK_OK(connection_.receive());
    CHECK_OK(connection_.receive());
    TRY(format, connection_.receive());
    if (format.next() && format.number(0) != schema_version())
        return refuse_format(format.number(0));
    auto done = prune_slice(before);
    if (!done) return done;
    CHECK_OK(connection_.run(commit_));
    return done;
}

// Events first: what they tell of may go once they have gone.
Result<Pruned> Pruning::prune_slice(const Retention& before) {
    Pruned done;
    if (const auto cut = before.events()) {
        TRY(events, prune_events(*cut));
        done.events = events;
    }
    if (done.events == 0 && before.asks) {
        TRY(asks, prune_asks(*before.asks));
        done.asks = asks;
    }
    done.has_more = done.events > 0 || done.asks > 0;
    if (done.has_more) return done;
    CHECK_OK(has_seen_messages_ ? prune_sessions(before, done) : prune_messages(before, done));
    if (!done.has_more) start_over();
    return done;
}

Result<std::uint64_t> Pruning::prune_events(Instant before) {
    TRY(bounds, reader_.read_bounds());
    if (bounds.head.value <= bounds.oldest.value + 1) return 0;
    const Cursor last{
        std::min(bounds.head.value - 1, bounds.oldest.value + limits::kEventsDroppedAtOnce)};
    TRY(kept, connection_.run(first_kept_, bounds.oldest, last, before));
    const bool is_within = kept.next() && !kept.is_null(0);
    const Cursor newest = is_within ? Cursor{kept.cursor(0).value - 1} : last;
    if (newest == bounds.oldest) return 0;
    TRY(dropped, connection_.run(drop_events_, newest, schema_version()));
    return static_cast<std::uint64_t>(dropped.affected());
}

Result<std::uint64_t> Pruning::prune_asks(Instant before) {
    const std::string limit = format_rfc3339(before);
    TRY(dropped, connection_.run(drop_asks_, std::uint64_t{limits::kAsksPrunedAtOnce},
                                 std::string_view(limit)));
    return static_cast<std::uint64_t>(dropped.affected());
}

Result<void> Pruning::prune_messages(const Retention& before, Pruned& done) {
    done.has_more = true;
    has_seen_messages_ = true;
    if (!before.messages) return {};
    TRY(rows, connection_.run(messages_, last_message_, std::uint64_t{limits::kRowsPrunedAtOnce}));
    const Array ids = take_ids(rows, last_message_);
    has_seen_messages_ = ids.count() < limits::kRowsPrunedAtOnce;
    TRY(dropped, connection_.run(drop_messages_, ids, *before.messages));
    done.messages = static_cast<std::uint64_t>(dropped.affected());
    return {};
}

Result<void> Pruning::prune_sessions(const Retention& before, Pruned& done) {
    if (!before.sessions) return {};
    TRY(rows, connection_.run(sessions_, last_session_, std::uint64_t{limits::kRowsPrunedAtOnce}));
    const Array ids = take_ids(rows, last_session_);
    TRY(dropped, connection_.run(drop_sessions_, ids, *before.sessions));
    done.sessions = static_cast<std::uint64_t>(dropped.affected());
    done.has_more = ids.count() == limits::kRowsPrunedAtOnce;
    return {};
}

Result<std::uint64_t> Pruning::count_rows(Statement& statement, std::optional<Instant> cut) {
    if (!cut) return 0;
    TRY(rows, connection_.run(statement, *cut));
    return rows.next() ? static_cast<std::uint64_t>(rows.number(0)) : 0;
}

Result<Pruned> Pruning::count(const Retention& before) {
    Pruned all;
    TRY(events, count_rows(count_events_, before.events()));
    TRY(messages, count_rows(count_messages_, before.messages));
    all.events = events;
    all.messages = messages;
    const std::string limit = before.asks ? format_rfc3339(*before.asks) : std::string();
    if (before.asks) {
        TRY(asks, connection_.run(count_asks_, std::string_view(limit)));
        all.asks = asks.next() ? static_cast<std::uint64_t>(asks.number(0)) : 0;
    }
    if (!before.sessions) return all;
    const Instant messages_end = before.messages.value_or(Instant());
    TRY(sessions,
        connection_.run(count_sessions_, *before.sessions, std::string_view(limit), messages_end));
    all.sessions = sessions.next() ? static_cast<std::uint64_t>(sessions.number(0)) : 0;
    return all;
}

}  // namespace parley::postgres
