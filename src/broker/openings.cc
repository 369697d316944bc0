// SPDX-License-Identifier: Apache-2.0
#include "broker/openings.h"

#include <utility>

namespace parley {

void Openings::add_ask(AskId id, const std::string& principal, std::size_t bytes) {
    if (!asks_.emplace(id, OpeningAsk{principal, bytes}).second) return;
    Ledger::Usage& usage = usage_[principal];
    ++usage.asks;
    usage.bytes += bytes;
}

void Openings::add_session(SessionId id, const std::string& principal) {
    if (sessions_.emplace(id, principal).second) ++usage_[principal].sessions;
}

void Openings::end_ask(AskId id) {
    if (asks_.empty()) return;  // people have no quota, and ask no less often
    const auto ask = asks_.extract(id);
    if (ask.empty()) return;
    const auto usage = usage_.find(ask.mapped().principal);
    --usage->second.asks;
    usage->second.bytes -= ask.mapped().bytes;
    forget_idle(usage);
}

void Openings::end_session(SessionId id) {
    const auto session = sessions_.extract(id);
    if (session.empty()) return;
    const auto usage = usage_.find(session.mapped());
    --usage->second.sessions;
    forget_idle(usage);
}

void Openings::forget_idle(UsageMap::iterator usage) {
    if (usage->second.asks == 0 && usage->second.sessions == 0) usage_.erase(usage);
}

Ledger::Usage Openings::usage_of(std::string_view principal) const {
    const auto found = usage_.find(principal);
    return found == usage_.end() ? Ledger::Usage{} : found->second;
}

}  // namespace parley
