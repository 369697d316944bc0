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
    wiring_.store.commit(PutToken{shared}, [this, alive = std::weak_ptr(alive_), shared,
                                            done = std::move(done)](auto outcomes) mutable {
        if (alive.expired()) return;
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (outcomes->front().verdict == Verdict::conflict) return done(name_taken(*shared));
        tokens_[shared->name] = shared;
        // The session that it is made for is no other agent's from now on.
        if (const SessionPtr made_for = shared->session ? find_entered(*shared->session) : nullptr)
            (void)enter(*made_for, {.principal = shared->principal});
        done({});
    });
}

void LoopBroker::replace_token(Token token, Done<void> done) {
    const auto shared = std::make_shared<const Token>(std::move(token));
    std::vector<Change> changes;
    changes.emplace_back(DropToken{shared->name});
    changes.emplace_back(PutToken{shared});
    wiring_.store.commit(std::move(changes), [this, alive = std::weak_ptr(alive_), shared,
                                              done = std::move(done)](auto outcomes) mutable {
        if (alive.expired()) return;
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (outcomes->back().verdict == Verdict::conflict) return done(name_taken(*shared));
        tokens_[shared->name] = shared;
        // Whoever reads looks whether its token still counts, and can say why it leaves.
        wake_readers(live_.end());
        if (told_of_revoked_) told_of_revoked_();
        done({});
    });
}

void LoopBroker::drop_token(std::string name, Done<void> done) {
    DropToken change{name};
    wiring_.store.commit(
        std::move(change), [this, alive = std::weak_ptr(alive_), name = std::move(name),
                            done = std::move(done)](auto outcomes) mutable {
            if (alive.expired()) return;
            if (!outcomes) return done(reject(std::move(outcomes).error()));
            if (outcomes->front().verdict == Verdict::missing)
                return done(reject(ErrorCode::not_found, "there is no token named {}", name));
            tokens_.erase(name);
            wake_readers(live_.end());
            if (told_of_revoked_) told_of_revoked_();
            done({});
        });
}

void LoopBroker::name_person(std::string principal, std::string person, Done<void> done) {
    NamePerson change{std::move(principal), std::move(person)};
    wiring_.store.commit(change, [this, alive = std::weak_ptr(alive_), change,
                                  done = std::move(done)](auto outcomes) mutable {
        if (alive.expired()) return;
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        const Verdict verdict = outcomes->front().verdict;
        if (verdict == Verdict::missing)
            return done(reject(ErrorCode::not_found, "this person is signed in no longer"));
        if (verdict == Verdict::conflict)
            return done(reject(ErrorCode::conflict, "{} is somebody else", change.person));
        for (auto& [name, token] : tokens_) {
            if (token->principal != change.principal) continue;
            auto named = std::make_shared<Token>(*token);
            named->person = change.person;
            token = std::move(named);
        }
        done({});
    });
}

void LoopBroker::touch_token(const std::string& name, Instant used_at) {
    const auto known = tokens_.find(name);
    if (known == tokens_.end()) return;
    auto used = std::make_shared<Token>(*known->second);
    used->used_at = used_at;
    known->second = std::move(used);
    wiring_.store.commit(TouchToken{name, used_at}, [](auto) {});
}

}  // namespace parley
