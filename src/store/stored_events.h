// SPDX-License-Identifier: Apache-2.0
// Events as a store on disk tells of them, with what is written down elsewhere. Internal to the
// engines.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "base/result.h"
#include "core/event.h"

namespace parley::stored {

// The feed has each event once and in order. Nobody who lists a page is shown an event of a mark,
// and nodes that say that they are there make many: what those tell of it is for the feed alone.
enum class EventsFor : std::uint8_t { feed, page };

// An event of a token or a mark tells of it as it stands now: what it was is written down nowhere.
template <class Reader>
Result<EventPtr> as_it_stands(const EventPtr& event, Reader& reader, EventsFor use) {
    return std::visit(
        Overload{
            [&](const TokenChanged& changed) -> Result<EventPtr> {
                TRY(token, reader.find_token(changed.name));
                return with_body(*event, TokenChanged{changed.name, std::move(token)});
            },
            [&](const MarkChanged& changed) -> Result<EventPtr> {
                if (use == EventsFor::page) return event;
                TRY(mark, reader.find_mark(changed.key));
                return with_body(*event, MarkChanged{changed.key, std::move(mark)});
            },
            [&](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                            SessionChanged, SessionEnded, PartAdded, MessageAdded, MessagesTaken,
                            NoticeGiven, AgentRevoked, ContentDeleted> auto&) -> Result<EventPtr> {
                return event;
            },
        },
        event->body);
}

}  // namespace parley::stored
