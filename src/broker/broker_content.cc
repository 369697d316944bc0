// SPDX-License-Identifier: Apache-2.0
// Deleting what a settled ask said.
#include <utility>

#include "broker/broker.h"

namespace parley {

// Whether it is pending is the store's to say: another node may have settled it.
void LoopBroker::delete_content(AskId id, const Viewer& viewer, Done<AskPtr> done) {
    auto told = [id,
                 done = std::move(done)](Result<std::span<const ChangeOutcome>> outcomes) mutable {
        if (!outcomes) return done(reject(std::move(outcomes).error()));
        const ChangeOutcome& outcome = outcomes->front();
        if (outcome.verdict == Verdict::missing)
            return done(reject(ErrorCode::not_found, "there is no ask {}", id.str()));
        if (outcome.verdict == Verdict::conflict)
            return done(reject(ErrorCode::conflict,
                               "ask {} is pending, and its content is what is to be answered. To "
                               "fix it: withdraw it first",
                               id.str()));
        done(outcome.ask);
    };
    find_ask(id, viewer,
             alive_.guard([this, id, told = std::move(told)](const Result<AskPtr>& found) mutable {
                 if (!found) return told(reject(found.error()));
                 wiring_.store.commit(DeleteContent{id, wiring_.clock.wall()}, std::move(told));
             }));
}

}  // namespace parley
