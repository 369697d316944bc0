// SPDX-License-Identifier: Apache-2.0
// Tokens and marks, which are all in memory once a store is open.
#include <utility>

#include "store/sqlite_read.h"
#include "store/sqlite_rows.h"

namespace parley::sqlite {

Result<void> Reader::load_tokens(Snapshot& snapshot) {
    Statement all(connection_, select_tokens("ORDER BY name"));
    Rows rows(all);
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return {};
        TRY(token, read_token(rows));
        snapshot.tokens.push_back(std::move(token));
    }
}

Result<TokenPtr> Reader::find_token(std::string_view name) {
    Rows rows(token_, name);
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_token(rows);
}

Result<void> Reader::load_marks(Snapshot& snapshot) {
    Statement all(connection_, select_marks("ORDER BY key"));
    Rows rows(all);
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return {};
        TRY(mark, read_mark(rows));
        snapshot.marks.push_back(std::move(mark));
    }
}

Result<MarkPtr> Reader::find_mark(std::string_view key) {
    Rows rows(mark_, key);
    TRY(is_there, rows.next());
    if (!is_there) return nullptr;
    return read_mark(rows);
}

}  // namespace parley::sqlite
