// SPDX-License-Identifier: Apache-2.0
// Settling: the rules make a settlement, the store decides whether it is the first.
#include <utility>

#include "base/block_cache.h"
#include "broker/broker.h"

namespace parley {

void LoopBroker::answer(AskId id, Answers answers, const AnswerRules& rules, const Actor& actor,
                        Done<SettleReply> done) {
    const Instant now = wiring_.clock.wall();
    if (AskPtr ask = find_pending(id, actor.viewer())) {
        auto settlement = make_answer(*ask, std::move(answers), rules, actor, now);
        offer({std::move(ask), actor.only_while}, std::move(settlement), std::move(done));
        return;
    }
    settle_late(
        id, actor,
        [answers = std::move(answers), rules, actor, now](const Ask& ask) mutable {
            return make_answer(ask, std::move(answers), rules, actor, now);
        },
        std::move(done));
}

void LoopBroker::dismiss(AskId id, std::optional<std::string> reason, const Actor& actor,
                         Done<SettleReply> done) {
    const Instant now = wiring_.clock.wall();
    if (const AskPtr ask = find_pending(id, actor.viewer())) {
        offer({ask, actor.only_while}, make_dismissal(*ask, std::move(reason), actor, now),
              std::move(done));
        return;
    }
    settle_late(
        id, actor,
        [reason = std::move(reason), actor, now](const Ask& ask) mutable {
            return make_dismissal(ask, std::move(reason), actor, now);
        },
        std::move(done));
}

void LoopBroker::withdraw(AskId id, std::optional<std::string> reason, const Actor& actor,
                          Done<SettleReply> done) {
    const Instant now = wiring_.clock.wall();
    if (const AskPtr ask = find_pending(id, actor.viewer())) {
        offer({ask, actor.only_while}, make_withdrawal(std::move(reason), actor, now),
              std::move(done));
        return;
    }
    settle_late(
        id, actor,
        [reason = std::move(reason), actor, now](const Ask&) mutable {
            return make_withdrawal(std::move(reason), actor, now);
        },
        std::move(done));
}

void LoopBroker::offer(Settling what, Result<Settlement> settlement, Done<SettleReply> done) {
    if (!settlement) return fail(done, std::move(settlement).error());
    const AskId id = what.ask->id;
    wiring_.store.commit(
        SettleAsk{id, make_shared_block<const Settlement>(std::move(*settlement)),
                  std::move(what.ask), std::move(what.only_while)},
        [id, done = std::move(done)](Result<std::span<const ChangeOutcome>> outcomes) mutable {
            if (!outcomes) {
                done(reject(std::move(outcomes).error()));
                return;
            }
            const ChangeOutcome& outcome = outcomes->front();
            if (outcome.verdict == Verdict::missing) {
                done(reject(ErrorCode::not_found, "there is no ask {}", id.str()));
            } else if (outcome.verdict == Verdict::refused) {
                done(reject(ErrorCode::denied, "another has taken over who may settle this"));
            } else {
                done(SettleReply{outcome.ask, outcome.verdict != Verdict::conflict,
                                 outcome.verdict == Verdict::existing});
            }
        });
}

// The ask is settled, or is not there for this viewer. Who comes late is told what stands, even if
// what it brings would not have been valid: that no longer matters to anyone.
void LoopBroker::settle_late(AskId id, const Actor& actor, MakeSettlement make,
                             Done<SettleReply> done) {
    find_ask(id, actor.viewer(),
             alive_.guard([this, only_while = actor.only_while, make = std::move(make),
                           done = std::move(done)](Result<AskPtr> found) mutable {
                 if (!found) {
                     done(reject(std::move(found).error()));
                     return;
                 }
                 if ((*found)->is_pending()) {
                     offer({*found, only_while}, make(**found), std::move(done));
                     return;
                 }
                 const auto offered = make(**found);
                 const bool is_yours = offered && is_repeat(*(*found)->settlement, *offered);
                 done(SettleReply{std::move(*found), is_yours, is_yours});
             }));
}

}  // namespace parley
