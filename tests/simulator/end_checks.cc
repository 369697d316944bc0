// SPDX-License-Identifier: Apache-2.0
#include "end_checks.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/token.h"

namespace parley::sim {

namespace {

void check_fold_agrees(const Ledger& ledger, const Oracle& oracle) {
    for (int i = 0; i < kResponders; ++i) {
        const std::string principal = "person-" + std::to_string(i);
        const auto* snoozes = ledger.find_snoozes(principal);
        if ((snoozes == nullptr ? Ledger::Snoozes() : *snoozes) !=
            oracle.durable_snoozes(principal))
            throw Broken("snoozes in memory are not those of the events");
    }
    const auto durable = oracle.durable_tokens();
    const bool is_same =
        std::ranges::equal(ledger.tokens(), durable, [](const auto& one, const auto& other) {
            return one.first == other.first && *one.second == *other.second;
        });
    if (!is_same) throw Broken("tokens in memory are not those of the events");
}

// People see which asks nobody waits for any more, also after a restart.
void check_revoked_are_marked(const Ledger& ledger, const Oracle& oracle) {
    std::set<std::string> counting;
    for (const auto& [name, token] : oracle.durable_tokens()) counting.insert(token->principal);
    for (const auto& [id, ask] : ledger.pending()) {
        const std::string& asker = ask->spec->asker;
        if (ask->is_asker_revoked == (lives_by_tokens(asker) && !counting.contains(asker)))
            continue;
        throw Broken("an ask is not marked as its agent's tokens say: " + id.str());
    }
}

}  // namespace

void check_deadlines_fired(const Oracle& oracle) {
    for (const auto& [id, ask] : oracle.durable_asks())
        if (ask->spec->timeout && !ask->settlement)
            throw Broken("a deadline never fired: " + id.str());
}

void check_memory_agrees(Process& process, const Oracle& oracle) {
    std::set<AskId> pending;
    for (const auto& [id, ask] : process.broker().ledger().pending()) pending.insert(id);
    for (const auto& [id, ask] : oracle.durable_asks())
        if ((ask->settlement == nullptr) != pending.contains(id))
            throw Broken("memory and disk disagree: " + id.str());
    check_fold_agrees(process.broker().ledger(), oracle);
    check_revoked_are_marked(process.broker().ledger(), oracle);
}

}  // namespace parley::sim
