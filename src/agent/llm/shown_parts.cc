// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/shown_parts.h"

#include <utility>

#include "agent/limits.h"
#include "core/event.h"

namespace parley {

void ShownParts::start(Done<std::set<Key>> done) {
    done_ = std::move(done);
    read(std::nullopt);
}

void ShownParts::read(std::optional<Cursor> before) {
    link_.list_log(session_, before,
                   alive_.guard([this](const Result<SessionLog>& page) { taken(page); }));
}

void ShownParts::taken(const Result<SessionLog>& page) {
    // Whoever is told may drop this.
    if (!page) return std::exchange(done_, nullptr)(reject(page.error()));
    events_seen_ += page->events.size();
    for (const EventPtr& event : page->events)
        if (const auto part = part_in(*event)) found_.emplace(part->kind, part->part_id);
    if (page->before && events_seen_ < limits::kLookBackEvents) return read(page->before);
    std::exchange(done_, nullptr)(std::move(found_));
}

}  // namespace parley
