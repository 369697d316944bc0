// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/content.h"
#include "core/weight.h"
#include "store/memory_engine.h"

namespace parley {

ChangeOutcome MemoryEngine::apply(const DeleteContent& change) {
    const auto found = asks_.find(change.ask);
    if (found == asks_.end()) return {Verdict::missing};
    AskPtr& ask = found->second;
    if (ask->is_pending()) return {Verdict::conflict, ask};
    if (ask->spec->content_deleted_at) return {Verdict::existing, ask};
    ask = without_content(*ask, change.at);
    const auto kept = std::ranges::find(settled_order_, found, &SettledAsk::row);
    settled_bytes_ -= kept->bytes;
    kept->bytes = weight_of(*ask);
    settled_bytes_ += kept->bytes;
    for (auto& [event, bytes] : events_) {
        const EventPtr blank = without_content_of(event, change.ask, change.at);
        if (blank == event) continue;
        event = blank;
        events_bytes_ -= bytes;
        bytes = weight_of(*event);
        events_bytes_ += bytes;
    }
    add_event(change.at, ask->session, ContentDeleted{change.ask, ask->spec->asker});
    return {Verdict::applied, ask};
}

}  // namespace parley
