// SPDX-License-Identifier: Apache-2.0
// Rows of a store on disk as those of an archive, whichever engine read them. Internal to the
// archives.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "core/record.h"
#include "store/archive/archive.h"
#include "store/stored_rows.h"
#include "text/utf8.h"

namespace parley {

// None in an empty store.
inline constexpr std::string_view kCountAllRows =
    "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM messages) + "
    "(SELECT count(*) FROM asks) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM marks) + "
    "(SELECT count(*) FROM events)";

inline Rejection refuse_full() {
    return reject(ErrorCode::conflict,
                  "the store is not empty, and two stores cannot be made one. To fix it: name a "
                  "store that is not there yet");
}

inline Result<void> check_bounds(const ArchiveBounds& standing, const ArchiveBounds& said) {
    if (standing == said) return {};
    return reject(ErrorCode::invalid,
                  "its events lie from {} to {}, and its head says from {} to {}",
                  standing.oldest.value, standing.head.value, said.oldest.value, said.head.value);
}

inline std::optional<std::string> settlement_record(const Ask& ask) {
    return ask.settlement ? std::optional(to_record(*ask.settlement)) : std::nullopt;
}

// To the sink, or to those that were damaged.
template <class Row>
Result<void> give_row(Result<Row> row, const ArchiveSink& sink, ArchiveFaults* faults) {
    if (row) return sink(ArchiveRow(std::move(*row)));
    if (faults == nullptr) return reject(std::move(row).error());
    faults->add("damaged", std::move(row).error().message);
    return {};
}

namespace stored {

// id, record, taken
template <class Rows>
Result<ArchivedSession> read_archived_session(const Rows& rows) {
    TRY(session, read_session(rows));
    ArchivedSession row{.session = std::move(session), .taken = {}};
    if (!rows.is_null(2)) row.taken = rows.template id<MessageId>(2);
    return row;
}

// kAskColumns, settled, state
template <class Rows>
Result<ArchivedAsk> read_archived_ask(const Rows& rows) {
    TRY(ask, read_ask(rows));
    const auto name = [&] { return RowName{"ask", "asks", ask->id.str()}; };
    if (rows.number(7) != static_cast<int>(ask->state()))
        return damaged(name(), "its state is not that of its settlement");
    ArchivedAsk row{.ask = std::move(ask), .settled = {}};
    if (!rows.is_null(6)) row.settled = rows.cursor(6);
    return row;
}

inline Result<void> check_doc(EventType type, std::string_view doc) {
    switch (type) {
        case EventType::session_created:
        case EventType::session_changed: CHECK_OK(session_from_record(doc)); return {};
        case EventType::part_added: CHECK_OK(part_from_record(doc)); return {};
        case EventType::notice_given: CHECK_OK(notice_from_record(doc)); return {};
        case EventType::snooze_changed: CHECK_OK(snooze_from_record(doc)); return {};
        default: return {};
    }
}

// cursor, type, at_ms, session, ask, message, doc
template <class Rows>
Result<ArchivedEvent> read_archived_event(const Rows& rows) {
    ArchivedEvent event{.cursor = rows.cursor(0), .type = static_cast<int>(rows.number(1))};
    const auto name = [&] {
        return RowName{"event", "events", std::to_string(event.cursor.value)};
    };
    TRY(at, read_instant(rows, 2, name));
    event.at = at;
    event.session = rows.template id<SessionId>(3);
    if (!rows.is_null(4)) event.ask = rows.template id<AskId>(4);
    if (!rows.is_null(5)) event.message = rows.template id<MessageId>(5);
    if (event.type == static_cast<int>(EventType::message_added) && !event.message)
        return damaged(name(), "its message is not there");
    if (rows.is_null(6)) return event;
    event.doc = std::string(rows.text(6));
    if (!utf8::is_valid(*event.doc)) return damaged(name(), "it is no text");
    if (const auto good = check_doc(static_cast<EventType>(event.type), *event.doc); !good)
        return damaged(name(), good.error().message);
    return event;
}

}  // namespace stored

}  // namespace parley
