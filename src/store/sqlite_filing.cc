// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_filing.h"

#include <fmt/format.h>

namespace parley::sqlite {

namespace {

// The ids that were filed, and those that came since then: `unfiled` ends with the cursor that is
// compared.
std::string select_ids(ListOrder order, std::string_view filed, std::string_view unfiled) {
    const Sequence sequence = sequence_of(order);
    return fmt::format(
        "SELECT ask FROM (SELECT ask FROM {} UNION ALL SELECT {} > "
        "(SELECT value FROM meta WHERE name = 'filed')) "
        "WHERE ask {} ?1 ORDER BY ask {} LIMIT ?2",
        filed, unfiled, sequence.relation, sequence.direction);
}

}  // namespace

Result<Filing> Filing::open(const Connection& connection, std::size_t events_at_once) {
    Statement bookmark(connection, "SELECT value FROM meta WHERE name = 'filed'");
    Rows found(bookmark);
    TRY(is_there, found.next());
    if (!is_there) return reject(ErrorCode::corrupt, "the store does not know what it has filed");
    Filing filing(connection, found.cursor(0), events_at_once);

    Statement newest(connection, "SELECT id FROM asks WHERE opened > ?1 AND state = 0");
    Rows unfiled(newest, filing.filed_);
    for (;;) {
        TRY(is_one, unfiled.next());
        if (!is_one) break;
        filing.unfiled_.insert(unfiled.id<AskId>(0));
    }

    Statement told(connection,
                   "SELECT session, min(cursor), max(cursor) FROM events "
                   "WHERE cursor > ?1 AND session IS NOT NULL GROUP BY session");
    Rows sessions(told, filing.filed_);
    for (;;) {
        TRY(is_one, sessions.next());
        if (!is_one) return filing;
        filing.unfiled_events_[sessions.id<SessionId>(0)] = {sessions.cursor(1),
                                                             sessions.cursor(2)};
    }
}

Filing::Filing(const Connection& connection, Cursor filed, std::size_t events_at_once)
    : filed_(filed),
      events_at_once_(events_at_once),
      // FAIL spares the journal with which SQLite could undo one statement alone: an error here
      // ends the transaction.
      file_events_(connection, "INSERT OR FAIL INTO filed_events VALUES(?1, ?2, ?3)"),
      file_by_session_(connection,
                       "INSERT OR FAIL INTO filed_by_session SELECT session, ask FROM events "
                       "WHERE cursor > ?1 AND type = 1"),
      file_by_state_(connection,
                     "INSERT OR FAIL INTO filed_by_state SELECT CAST(doc AS INTEGER), ask "
                     "FROM events WHERE cursor > ?1 AND type = 2"),
      file_by_asker_(connection,
                     "INSERT OR FAIL INTO filed_by_asker SELECT asker, id FROM asks "
                     "WHERE opened > ?1 AND asker IS NOT NULL"),
      file_settled_(connection,
                    "INSERT OR FAIL INTO filed_settled SELECT cursor, ask FROM events "
                    "WHERE cursor > ?1 AND type = 2"),
      file_pending_(connection,
                    "INSERT OR FAIL INTO filed_by_state SELECT 0, id FROM asks "
                    "WHERE opened > ?1 AND state = 0"),
      file_pending_by_session_(connection,
                               "INSERT OR FAIL INTO filed_pending_by_session SELECT session, id "
                               "FROM asks WHERE opened > ?1 AND state = 0"),
      drop_pending_(connection, "DELETE FROM filed_by_state WHERE state = 0 AND ask = ?1"),
      drop_pending_of_session_(
          connection, "DELETE FROM filed_pending_by_session WHERE session = ?1 AND ask = ?2"),
      drop_events_(connection, std::string(kDropFiledEvents)),
      put_filed_(connection, "UPDATE meta SET value = ?1 WHERE name = 'filed'") {}

void Filing::on_event(SessionId session, Cursor cursor) {
    unfiled_events_.try_emplace(session, Range{cursor, cursor}).first->second.last = cursor;
}

Result<void> Filing::on_settled(SessionId session, AskId ask) {
    if (unfiled_.erase(ask) > 0) return {};
    CHECK_OK(drop_pending_.run(ask));
    CHECK_OK(drop_pending_of_session_.run(session, ask));
    return {};
}

Result<void> Filing::keep_up_with(Cursor head) {
    return head.value - filed_.value < events_at_once_ ? Result<void>() : file_up_to(head);
}

Result<void> Filing::file_up_to(Cursor head) {
    for (const auto& [session, events] : unfiled_events_)
        CHECK_OK(file_events_.run(session, events.first, events.last));
    unfiled_events_.clear();
    CHECK_OK(file_by_session_.run(filed_));
    CHECK_OK(file_by_state_.run(filed_));
    CHECK_OK(file_by_asker_.run(filed_));
    CHECK_OK(file_settled_.run(filed_));
    if (!unfiled_.empty()) {
        CHECK_OK(file_pending_.run(filed_));
        CHECK_OK(file_pending_by_session_.run(filed_));
        unfiled_.clear();
    }
    CHECK_OK(put_filed_.run(head));
    filed_ = head;
    return {};
}

Result<void> Filing::forget_events(Cursor up_to) {
    CHECK_OK(drop_events_.run(up_to));
    return {};
}

Sequence sequence_of(ListOrder order) {
    if (order == ListOrder::oldest_first) return {">", "ASC"};
    return {"<", "DESC"};
}

std::string select_all_ids(ListOrder order) {
    const Sequence sequence = sequence_of(order);
    return fmt::format("SELECT id FROM asks WHERE id {} ?1 ORDER BY id {} LIMIT ?2",
                       sequence.relation, sequence.direction);
}

// Not indexed, since SQLite would look through all asks in the order of their ids.
std::string select_pending_ids(ListOrder order) {
    return select_ids(order, "filed_by_state WHERE state = 0",
                      "id FROM asks NOT INDEXED WHERE state = 0 AND opened");
}

std::string select_pending_ids_of_session(ListOrder order) {
    return select_ids(order, "filed_pending_by_session WHERE session = ?3",
                      "id FROM asks NOT INDEXED WHERE state = 0 AND session = ?3 AND opened");
}

std::string select_ids_in_state(ListOrder order) {
    return select_ids(order, "filed_by_state WHERE state = ?3",
                      "ask FROM events WHERE type = 2 AND CAST(doc AS INTEGER) = ?3 AND cursor");
}

std::string select_ids_of_session(ListOrder order) {
    return select_ids(order, "filed_by_session WHERE session = ?3",
                      "ask FROM events WHERE type = 1 AND session = ?3 AND cursor");
}

std::string select_ids_of_asker(ListOrder order) {
    return select_ids(order, "filed_by_asker WHERE asker = ?3",
                      "id FROM asks NOT INDEXED WHERE asker = ?3 AND opened");
}

// The nearer of two places is named as one, so that SQLite begins there and not at the farther; a
// range that lies wholly where was read before is passed over.
std::string select_filed_cursors(ListOrder order) {
    const bool is_oldest_first = order == ListOrder::oldest_first;
    return fmt::format(
        "SELECT e.cursor FROM filed_events f CROSS JOIN events e ON {} "
        "WHERE f.session = ?3 AND {} AND e.session = ?3 ORDER BY f.first {}, e.cursor {} LIMIT ?2",
        is_oldest_first ? "e.cursor >= max(f.first, ?1 + 1) AND e.cursor <= f.last"
                        : "e.cursor >= f.first AND e.cursor <= min(f.last, ?1 - 1)",
        is_oldest_first ? "f.last > ?1" : "f.first < ?1", sequence_of(order).direction,
        sequence_of(order).direction);
}

std::string select_unfiled_cursors(ListOrder order) {
    constexpr std::string_view kFiled = "(SELECT value FROM meta WHERE name = 'filed')";
    const Sequence sequence = sequence_of(order);
    const std::string unfiled = order == ListOrder::oldest_first
                                    ? fmt::format("cursor > max(?1, {})", kFiled)
                                    : fmt::format("cursor < ?1 AND cursor > {}", kFiled);
    return fmt::format("SELECT cursor FROM events WHERE session = ?3 AND {} ORDER BY 1 {} LIMIT ?2",
                       unfiled, sequence.direction);
}

}  // namespace parley::sqlite
