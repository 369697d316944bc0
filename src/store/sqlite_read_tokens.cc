// SPDX-License-Identifier: Apache-2.0
// Tokens, which are all in memory once a store is open.
#include <memory>
#include <utility>
#include <variant>

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

Result<EventPtr> Reader::with_token(EventPtr event) {
    const auto* changed = std::get_if<TokenChanged>(&event->body);
    if (changed == nullptr) return event;
    TRY(token, find_token(changed->name));
    auto whole = std::make_shared<Event>(*event);
    whole->body = TokenChanged{changed->name, std::move(token)};
    return whole;
}

}  // namespace parley::sqlite
