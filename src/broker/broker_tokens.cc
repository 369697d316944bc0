// SPDX-License-Identifier: Apache-2.0
// Tokens: who may, as far as the store keeps it. What a secret is worth is decided at the door.
#include <utility>

#include "broker/broker.h"

namespace parley {

void LoopBroker::put_token(Token token, Done<void> done) {
    const auto shared = std::make_shared<const Token>(std::move(token));
    wiring_.store.commit(PutToken{shared}, [this, alive = std::weak_ptr(alive_), shared,
                                            done = std::move(done)](auto outcomes) mutable {
        if (alive.expired()) return;
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        if (outcomes->front().verdict == Verdict::conflict)
            return done(reject(ErrorCode::conflict,
                               "there is a token named {} already; revoke it first, or choose "
                               "another name",
                               shared->name));
        tokens_[shared->name] = shared;
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
            done({});
        });
}

}  // namespace parley
