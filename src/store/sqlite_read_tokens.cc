// SPDX-License-Identifier: Apache-2.0
// Tokens, which are all in memory once a store is open.
#include <memory>
#include <utility>

#include "store/sqlite_damage.h"
#include "store/sqlite_read.h"

namespace parley::sqlite {

Result<void> Reader::load_tokens(Snapshot& snapshot) {
    Statement all(connection_,
                  "SELECT name, role, hash, created_ms, expires_ms, principal, person, device, "
                  "used_ms, session FROM tokens ORDER BY name");
    Rows rows(all);
    for (;;) {
        TRY(is_there, rows.next());
        if (!is_there) return {};
        const auto name = [&] { return RowName{"token", "tokens", std::string(rows.text(0))}; };
        const auto role = rows.number(1);
        if (role < 0 || role > static_cast<int>(Role::owner))
            return damaged(name(), "unknown role");
        auto token = std::make_shared<Token>();
        token->name = rows.text(0);
        token->role = static_cast<Role>(role);
        token->hash = rows.text(2);
        TRY(created, read_instant(rows, 3, name));
        token->created_at = created;
        if (!rows.is_null(4)) {
            TRY(expires, read_instant(rows, 4, name));
            token->expires_at = expires;
        }
        token->principal = rows.text(5);
        token->person = rows.text(6);
        token->device = rows.text(7);
        if (!rows.is_null(8)) {
            TRY(used, read_instant(rows, 8, name));
            token->used_at = used;
        }
        if (!rows.is_null(9)) token->session = rows.id<SessionId>(9);
        snapshot.tokens.push_back(std::move(token));
    }
}

}  // namespace parley::sqlite
