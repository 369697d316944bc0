// SPDX-License-Identifier: Apache-2.0
// Takes away what was over long ago (store/retention.h), a little at a time, inside a transaction
// that the engine opened. It remembers how far it has come, so that each call looks at few rows.
// Internal to the SQLite engine.
#pragma once

#include <string>

#include "base/result.h"
#include "store/retention.h"
#include "store/sqlite_db.h"

namespace parley::sqlite {

class Pruning {
public:
    // The connection must outlive it.
    explicit Pruning(const Connection& connection);

    // Up to which event after `oldest` they may be dropped now; never the newest of all.
    [[nodiscard]] Result<Cursor> newest_event(Cursor oldest, Cursor head, const Retention& before);
    // Asks, messages and sessions of which no event after `oldest` tells. All events up to there
    // must have been filed.
    [[nodiscard]] Result<Pruned> prune_rows(Cursor oldest, const Retention& before);
    // From the first row on again.
    void start_over();

private:
    [[nodiscard]] Result<std::uint64_t> prune_asks(Cursor oldest, Instant before);
    [[nodiscard]] Result<void> prune_messages(Cursor oldest, const Retention& before, Pruned& done);
    [[nodiscard]] Result<void> prune_sessions(const Retention& before, Pruned& done);

    bool has_seen_messages_ = false;
    std::int64_t last_message_ = 0;
    SessionId last_session_;

    Statement first_kept_;
    Statement settled_asks_;
    Statement drop_ask_;
    Statement drop_from_session_;
    Statement drop_from_state_;
    Statement drop_from_asker_;
    Statement drop_from_settled_;
    Statement messages_;
    Statement drop_message_;
    Statement sessions_;
    Statement drop_session_;
};

}  // namespace parley::sqlite
