// SPDX-License-Identifier: Apache-2.0
// The changes of Writer that are about tokens, and the principals that they act for; marks.
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite_write.h"

namespace parley::sqlite {

Result<ChangeOutcome> Writer::apply_one(const PutToken& change) {
    const Token& token = *change.token;
    TRY(standing, reader_.find_token(token.name));
    if (standing && standing->hash == token.hash) return ChangeOutcome{Verdict::existing};
    if (standing && !change.replaces) return ChangeOutcome{Verdict::conflict};
    TRY(is_taken, is_person_taken(token.person, token.principal));
    if (is_taken) return ChangeOutcome{Verdict::conflict};
    if (standing) CHECK_OK(drop_token_.run(std::string_view(token.name)));
    CHECK_OK(insert_token_.run(std::string_view(token.name), static_cast<int>(token.role),
                               std::string_view(token.hash), token.created_at, token.expires_at,
                               std::string_view(token.principal), std::string_view(token.person),
                               std::string_view(token.device), token.used_at, token.session));
    CHECK_OK(add_token_event(token.created_at, token.name));
    return ChangeOutcome{Verdict::applied};
}

Result<bool> Writer::is_person_taken(std::string_view person, std::string_view principal) {
    Rows rows(person_taken_, person, principal);
    return rows.next();
}

Result<ChangeOutcome> Writer::apply_one(const NamePerson& change) {
    TRY(is_taken, is_person_taken(change.person, change.principal));
    if (is_taken) return ChangeOutcome{Verdict::conflict};
    bool is_there = false;
    std::vector<std::string> unnamed;
    {
        Rows rows(tokens_of_, std::string_view(change.principal));
        for (;;) {
            TRY(is_one, rows.next());
            if (!is_one) break;
            is_there = true;
            if (rows.text(1) != change.person) unnamed.emplace_back(rows.text(0));
        }
    }
    for (const std::string& name : unnamed) {
        CHECK_OK(name_person_.run(std::string_view(name), std::string_view(change.person)));
        CHECK_OK(add_token_event(change.at, name));
    }
    if (!is_there) return ChangeOutcome{Verdict::missing};
    return ChangeOutcome{unnamed.empty() ? Verdict::existing : Verdict::applied};
}

Result<ChangeOutcome> Writer::apply_one(const TouchToken& change) {
    TRY(touched, touch_token_.run(std::string_view(change.name), change.used_at));
    if (touched > 0) {
        CHECK_OK(add_token_event(change.used_at, change.name));
        return ChangeOutcome{Verdict::applied};
    }
    TRY(standing, reader_.find_token(change.name));
    return ChangeOutcome{standing ? Verdict::existing : Verdict::missing};
}

Result<ChangeOutcome> Writer::apply_one(const DropToken& change) {
    TRY(standing, reader_.find_token(change.name));
    if (!standing) {
        const bool was_dropped =
            was_stored_before(change.at, SessionId(), TokenChanged{change.name, nullptr});
        return ChangeOutcome{was_dropped ? Verdict::existing : Verdict::missing};
    }
    CHECK_OK(drop_token_.run(std::string_view(change.name)));
    CHECK_OK(add_token_event(change.at, change.name));
    if (!is_revocable_agent(*standing)) return ChangeOutcome{Verdict::applied};
    TRY(has_more, has_token(standing->principal));
    if (!has_more)
        CHECK_OK(add_event({.type = EventType::agent_revoked,
                            .at = change.at,
                            .session = SessionId(),
                            .doc = standing->principal},
                           AgentRevoked{standing->principal}));
    return ChangeOutcome{Verdict::applied};
}

Result<ChangeOutcome> Writer::apply_one(const PutMark& change) {
    TRY(standing, reader_.find_mark(change.key));
    Verdict verdict = verdict_on(change, standing);
    MarkChanged body{change.key, marked_by(change)};
    if (verdict == Verdict::missing && was_stored_before(change.at, SessionId(), body))
        verdict = Verdict::existing;
    if (verdict != Verdict::applied) return ChangeOutcome{verdict};
    if (change.value) {
        CHECK_OK(put_mark_.run(std::string_view(change.key), std::string_view(*change.value),
                               change.at, change.expires_at));
    } else {
        CHECK_OK(drop_mark_.run(std::string_view(change.key)));
    }
    CHECK_OK(add_event({.type = EventType::mark_changed,
                        .at = change.at,
                        .session = SessionId(),
                        .doc = std::string_view(change.key)},
                       std::move(body)));
    return ChangeOutcome{verdict};
}

Result<bool> Writer::has_token(std::string_view principal) {
    Rows rows(tokens_of_, principal);
    return rows.next();
}

Result<void> Writer::add_token_event(Instant at, std::string_view name) {
    TRY(token, reader_.find_token(name));
    return add_event(
        {.type = EventType::token_changed, .at = at, .session = SessionId(), .doc = name},
        TokenChanged{std::string(name), std::move(token)});
}

}  // namespace parley::sqlite
