// SPDX-License-Identifier: Apache-2.0
// Tokens, which are all in memory once a store is open.
#include <memory>
#include <utility>
#include <variant>

#include "store/sqlite_damage.h"
#include "store/sqlite_read.h"
#include "store/sqlite_rows.h"

namespace parley::sqlite {

namespace {

Result<TokenPtr> read_token(const Rows& rows) {
    const auto name = [&] { return RowName{"token", "tokens", std::string(rows.text(0))}; };
    const auto role = rows.number(1);
    if (role < 0 || role > static_cast<int>(Role::owner)) return damaged(name(), "unknown role");
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
    return token;
}

}  // namespace

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

Result<EventPtr> Reader::with_token(EventPtr event) {
    const auto* changed = std::get_if<TokenChanged>(&event->body);
    if (changed == nullptr) return event;
    TRY(token, find_token(changed->name));
    auto whole = std::make_shared<Event>(*event);
    whole->body = TokenChanged{changed->name, std::move(token)};
    return whole;
}

}  // namespace parley::sqlite
