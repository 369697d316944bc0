// SPDX-License-Identifier: Apache-2.0
// What was over long ago, taken away before the limits of memory would.
#include <algorithm>

#include "core/event.h"
#include "store/memory_engine.h"

namespace parley {

Result<Pruned> MemoryEngine::prune(const Retention& before) {
    Pruned done;
    const auto cut = before.events();
    for (; cut && events_.size() > 1 && events_.front().event->at < *cut; ++done.events)
        forget_oldest_event();
    const auto is_over = [&](const Ask& ask) {
        const bool is_told = std::ranges::any_of(events_, [&](const KeptEvent& kept) {
            const AskPtr settled = settled_in(*kept.event);
            return settled && settled->id == ask.id;
        });
        return before.asks && ask.settlement->at < *before.asks && !is_told;
    };
    for (; !settled_order_.empty() && is_over(*settled_order_.front().row->second); ++done.asks)
        forget_oldest_settled();
    const auto is_empty = [&](SessionId id) {
        const auto& ended = *sessions_.at(id).session->ended_at;
        return before.sessions && ended < *before.sessions &&
               std::ranges::none_of(
                   asks_, [&](const auto& row) { return row.second->session == id; }) &&
               std::ranges::none_of(
                   events_, [&](const KeptEvent& kept) { return kept.event->session == id; });
    };
    for (; !ended_order_.empty() && is_empty(ended_order_.front()); ++done.sessions) {
        sessions_.erase(ended_order_.front());
        ended_order_.pop_front();
    }
    return done;
}

}  // namespace parley
