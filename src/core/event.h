// SPDX-License-Identifier: Apache-2.0
// Events are part of the vocabulary that embedding programs share: see parley/event.h.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "base/overload.h"
#include "parley/event.h"

namespace parley {

// The same event, told of as `body` does.
inline EventPtr with_body(const Event& event, EventBody body) {
    return std::make_shared<const Event>(
        Event{event.cursor, event.at, event.session, std::move(body)});
}

// What of an agent's stream an event brings; null if it brings none.
inline std::shared_ptr<const Part> part_in(const Event& event) {
    return std::visit(
        Overload{
            [](const PartAdded& added) { return added.part; },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                           SessionChanged, SessionEnded, MessageAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&)
                -> std::shared_ptr<const Part> { return nullptr; },
        },
        event.body);
}

// The ask that an event opens; null if it opens none.
inline AskPtr opened_in(const Event& event) {
    return std::visit(
        Overload{
            [](const AskOpened& opened) { return opened.ask; },
            [](const OneOf<AskSettled, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&)
                -> AskPtr { return nullptr; },
        },
        event.body);
}

// The ask that an event settles; null if it settles none.
inline AskPtr settled_in(const Event& event) {
    return std::visit(
        Overload{
            [](const AskSettled& settled) { return settled.ask; },
            [](const OneOf<AskOpened, DraftChanged, SnoozeChanged, SessionCreated, SessionChanged,
                           SessionEnded, PartAdded, MessageAdded, MessagesTaken, NoticeGiven,
                           AgentRevoked, TokenChanged, MarkChanged, ContentDeleted> auto&)
                -> AskPtr { return nullptr; },
        },
        event.body);
}

}  // namespace parley
