// SPDX-License-Identifier: Apache-2.0
#include "agent/look_back.h"

#include <ranges>
#include <utility>
#include <variant>

#include "agent/limits.h"
#include "base/overload.h"

namespace parley {

namespace {

// The agent's words, and what people say, tell nothing of calls and answers.
bool matters(const Event& event) {
    return std::visit(
        Overload{
            [](const PartAdded& added) {
                return added.part->kind != Part::Kind::text &&
                       added.part->kind != Part::Kind::finish;
            },
            [](const OneOf<AskSettled, NoticeGiven> auto&) { return true; },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, MessageAdded, MessagesTaken, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) { return false; },
        },
        event.body);
}

}  // namespace

void LookBack::start(Done<std::vector<AskPtr>> done) {
    done_ = std::move(done);
    read(std::nullopt);
}

void LookBack::read(std::optional<Cursor> before) {
    link_.list_log(session_, before,
                   alive_.guard([this](Result<SessionLog> page) { taken(std::move(page)); }));
}

void LookBack::taken(Result<SessionLog> page) {
    // Whoever is told may drop this.
    if (!page) return std::exchange(done_, nullptr)(reject(std::move(page).error()));
    events_seen_ += page->events.size();
    for (EventPtr& event : page->events | std::views::reverse)
        if (matters(*event)) events_.push_back(std::move(event));
    if (page->before && events_seen_ < limits::kLookBackEvents) return read(page->before);
    finish();
}

void LookBack::finish() {
    for (const EventPtr& event : events_ | std::views::reverse) late_.recall(*event);
    late_.recalled();
    std::exchange(done_, nullptr)(late_.take());
}

}  // namespace parley
