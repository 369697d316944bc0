// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_filing.h"

#include <fmt/format.h>

namespace parley::sqlite {

namespace {

// The ids that were filed, and those that the events since then tell of.
std::string select_ids(ListOrder order, std::string_view filed, std::string_view unfiled,
                       std::string_view where = "") {
    const Sequence sequence = sequence_of(order);
    const std::string in_page = fmt::format("ask {} ?1 {}", sequence.relation, where);
    return fmt::format(
        "SELECT ask FROM {} AND {} UNION ALL SELECT ask FROM events "
        "WHERE cursor > (SELECT value FROM meta WHERE name = 'filed') AND {} AND {} "
        "ORDER BY ask {} LIMIT ?2",
        filed, in_page, unfiled, in_page, sequence.direction);
}

constexpr std::string_view kFiledOfSession = "filed_by_session WHERE session = ?3";
constexpr std::string_view kUnfiledOfSession = "type = 1 AND session = ?3";

}  // namespace

Result<Filing> Filing::open(const Connection& connection, std::size_t events_at_once) {
    Statement filed(connection, "SELECT value FROM meta WHERE name = 'filed'");
    Rows rows(filed);
    TRY(is_there, rows.next());
    if (!is_there) return reject(ErrorCode::corrupt, "the store does not know what it has filed");
    return Filing(connection, rows.cursor(0), events_at_once);
}

Filing::Filing(const Connection& connection, Cursor filed, std::size_t events_at_once)
    : filed_(filed),
      events_at_once_(events_at_once),
      // FAIL spares the journal with which SQLite could undo one statement alone: an error here
      // ends the transaction.
      file_by_session_(connection,
                       "INSERT OR FAIL INTO filed_by_session SELECT session, ask FROM events "
                       "WHERE cursor > ?1 AND type = 1 ORDER BY session, ask"),
      file_by_state_(connection,
                     "INSERT OR FAIL INTO filed_by_state SELECT CAST(doc AS INTEGER), ask "
                     "FROM events WHERE cursor > ?1 AND type = 2"),
      put_filed_(connection, "UPDATE meta SET value = ?1 WHERE name = 'filed'") {}

Result<void> Filing::keep_up_with(Cursor head) {
    if (head.value - filed_.value < events_at_once_) return {};
    CHECK_OK(file_by_session_.run(filed_));
    CHECK_OK(file_by_state_.run(filed_));
    CHECK_OK(put_filed_.run(head));
    filed_ = head;
    return {};
}

Sequence sequence_of(ListOrder order) {
    if (order == ListOrder::oldest_first) return {">", "ASC"};
    return {"<", "DESC"};
}

std::string select_ids_in_state(ListOrder order) {
    return select_ids(order, "filed_by_state WHERE state = ?3",
                      "type = 2 AND CAST(doc AS INTEGER) = ?3");
}

std::string select_ids_of_session(ListOrder order) {
    return select_ids(order, kFiledOfSession, kUnfiledOfSession);
}

std::string select_ids_of_session_in_state(ListOrder order) {
    return select_ids(order, kFiledOfSession, kUnfiledOfSession,
                      "AND (SELECT state FROM asks WHERE id = ask) = ?4");
}

}  // namespace parley::sqlite
