// SPDX-License-Identifier: Apache-2.0
// What of a SQLite store cannot be read is named, by its table and its row, and refused: nothing is
// skipped as if it had never been there. Internal to the SQLite engine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

struct RowName {
    std::string_view what;  // "ask"
    std::string_view table;
    std::string row;  // what finds it: an id, a cursor, a name
};

inline Rejection damaged(const RowName& name, std::string_view why) {
    return reject(ErrorCode::corrupt,
                  "the store holds a damaged {} (table {}, row {}): {}. To fix it: restore a "
                  "backup, or mend or delete that row while no broker runs",
                  name.what, name.table, name.row, why);
}

// `name` is called only where it is needed.
template <class T, class Name>
Result<std::shared_ptr<const T>> share(Result<T> value, const Name& name) {
    if (!value) return damaged(name(), value.error().message);
    return std::make_shared<const T>(std::move(*value));
}

// A time that a clock could have said: what lies beyond would overflow wherever it is counted with.
template <class Name>
Result<Instant> read_instant(const Rows& rows, int column, const Name& name) {
    constexpr std::int64_t kEndOfTimeMs = 253'402'300'800'000;  // the year 10000
    const std::int64_t ms = rows.number(column);
    if (ms > -kEndOfTimeMs && ms < kEndOfTimeMs) return Instant(Millis(ms));
    return damaged(name(), fmt::format("{} is no time", ms));
}

}  // namespace parley::sqlite
