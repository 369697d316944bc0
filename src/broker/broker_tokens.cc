// SPDX-License-Identifier: Apache-2.0
// Tokens: who may, as far as the store keeps it. What a secret is worth is decided at the door.
#include <utility>

#include "broker/broker.h"

namespace parley {

namespace {

Rejection name_taken(const Token& token) {
    return reject(ErrorCode::conflict,
                  "there is a token or a person named {} already; revoke that token first, add one "
                  "with --as, or choose another name",
                  token.person.empty() ? token.name : token.person);
}

}  // namespace

void LoopBroker::put_token(Token token, Done<void> done) {
    const auto shared = std::make_shared<const Token>(std::move(token));
    wiring_.store.commit(
        PutToken{.token = shared},
        alive_.guard([this, shared, done = std::move(done)](auto outcomes) mutable {
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            if (outcomes->front().verdict == Verdict::conflict) return done(name_taken(*shared));
            // The session that it is made for is no other agent's from now on.
            if (const SessionPtr made_for =
                    shared->session ? find_entered(*shared->session) : nullptr)
                (void)enter(*made_for, {.principal = shared->principal});
            done({});
        }));
}

void LoopBroker::replace_token(Token token, Done<void> done) {
    const auto shared = std::make_shared<const Token>(std::move(token));
    wiring_.store.commit(PutToken{.token = shared, .replaces = true},
                         [shared, done = std::move(done)](auto outcomes) mutable {
                             if (!outcomes) return done(reject(std::move(outcomes).error()));
                             if (outcomes->front().verdict == Verdict::conflict)
                                 return done(name_taken(*shared));
                             done({});
                         });
}

void LoopBroker::drop_token(std::string name, Done<void> done) {
    DropToken change{name, wiring_.clock.wall()};
    wiring_.store.commit(
        std::move(change), [name = std::move(name), done = std::move(done)](auto outcomes) mutable {
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            if (outcomes->front().verdict == Verdict::missing)
                return done(reject(ErrorCode::not_found, "there is no token named {}", name));
            done({});
        });
}

void LoopBroker::name_person(std::string principal, std::string person, Done<void> done) {
    NamePerson change{std::move(principal), wiring_.clock.wall(), std::move(person)};
    wiring_.store.commit(
        change, [person = change.person, done = std::move(done)](auto outcomes) mutable {
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            const Verdict verdict = outcomes->front().verdict;
            if (verdict == Verdict::missing)
                return done(reject(ErrorCode::not_found, "this person is signed in no longer"));
            if (verdict == Verdict::conflict)
                return done(reject(ErrorCode::conflict, "{} is somebody else", person));
            done({});
        });
}

// Requests come faster than a use is written down: one at a time is enough.
void LoopBroker::touch_token(const std::string& name, Instant used_at) {
    if (!tokens().contains(name) || !touching_.insert(name).second) return;
    wiring_.store.commit(TouchToken{name, used_at},
                         alive_.guard([this, name](const auto&) { touching_.erase(name); }));
}

}  // namespace parley
