// SPDX-License-Identifier: Apache-2.0
// The changes of Writer that are about marks, tokens, and the principals that they act for. One
// group at a time has the lock for them, since a name must be nobody else's.
#include <string>
#include <utility>
#include <vector>

#include "store/postgres/writer.h"

namespace parley::postgres {

using stored::EventType;

Result<ChangeOutcome> Writer::apply_one(const PutToken& change) {
    const Token& token = *change.token;
    TRY(standing, reader_.find_token(token.name));
    if (standing && standing->hash == token.hash) return ChangeOutcome{Verdict::existing};
    if (standing && !change.replaces) return ChangeOutcome{Verdict::conflict};
    TRY(is_taken, is_person_taken(token.person, token.principal));
    if (is_taken) return ChangeOutcome{Verdict::conflict};
    if (standing) CHECK_OK(connection_.run(sql_.drop_token, std::string_view(token.name)));
    CHECK_OK(connection_.run(sql_.insert_token, std::string_view(token.name),
                             static_cast<int>(token.role), std::string_view(token.hash),
                             token.created_at, token.expires_at, std::string_view(token.principal),
                             std::string_view(token.person), std::string_view(token.device),
                             token.used_at, token.session));
    CHECK_OK(add_token_event(token.created_at, token.name));
    return ChangeOutcome{Verdict::applied};
}

Result<bool> Writer::is_person_taken(std::string_view person, std::string_view principal) {
    TRY(rows, connection_.run(sql_.person_taken, person, principal));
    return rows.count() > 0;
}

Result<ChangeOutcome> Writer::apply_one(const NamePerson& change) {
    TRY(is_taken, is_person_taken(change.person, change.principal));
    if (is_taken) return ChangeOutcome{Verdict::conflict};
    TRY(rows, connection_.run(sql_.tokens_of, std::string_view(change.principal)));
    if (rows.count() == 0) return ChangeOutcome{Verdict::missing};
    bool is_applied = false;
    while (rows.next()) {
        if (rows.text(1) == change.person) continue;
        const std::string name(rows.text(0));
        CHECK_OK(connection_.run(sql_.name_person, std::string_view(name),
                                 std::string_view(change.person)));
        CHECK_OK(add_token_event(change.at, name));
        is_applied = true;
    }
    return ChangeOutcome{is_applied ? Verdict::applied : Verdict::existing};
}

Result<ChangeOutcome> Writer::apply_one(const TouchToken& change) {
    TRY(touched, connection_.run(sql_.touch_token, std::string_view(change.name), change.used_at));
    if (touched.affected() > 0) {
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
    CHECK_OK(connection_.run(sql_.drop_token, std::string_view(change.name)));
    CHECK_OK(add_token_event(change.at, change.name));
    if (!is_revocable_agent(*standing)) return ChangeOutcome{Verdict::applied};
    TRY(more, connection_.run(sql_.tokens_of, std::string_view(standing->principal)));
    if (more.count() == 0)
        add_event({.type = EventType::agent_revoked,
                   .at = change.at,
                   .session = SessionId(),
                   .doc = standing->principal},
                  AgentRevoked{standing->principal});
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
        CHECK_OK(connection_.run(sql_.put_mark, std::string_view(change.key),
                                 std::string_view(*change.value), change.at, change.expires_at));
    } else {
        CHECK_OK(connection_.run(sql_.drop_mark, std::string_view(change.key)));
    }
    add_event({.type = EventType::mark_changed,
               .at = change.at,
               .session = SessionId(),
               .doc = change.key},
              std::move(body));
    return ChangeOutcome{verdict};
}

Result<void> Writer::add_token_event(Instant at, const std::string& name) {
    TRY(token, reader_.find_token(name));
    add_event({.type = EventType::token_changed, .at = at, .session = SessionId(), .doc = name},
              TokenChanged{name, std::move(token)});
    return {};
}

}  // namespace parley::postgres
