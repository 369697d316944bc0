// SPDX-License-Identifier: Apache-2.0
// What each event is called on the native wire, for the side that writes it and the one that reads
// it: an event that has no name here does not compile. Internal to the native wire.
#pragma once

#include <string_view>
#include <type_traits>

#include "base/overload.h"
#include "core/event.h"

namespace parley::native {

template <class Body>
using Of = std::type_identity<Body>;

template <class Body>
inline constexpr std::string_view kEventType = Overload{
    [](Of<AskOpened>) { return "ask.opened"; },
    [](Of<AskSettled>) { return "ask.settled"; },
    [](Of<ContentDeleted>) { return "ask.content_deleted"; },
    [](Of<DraftChanged>) { return "ask.draft"; },
    [](Of<SnoozeChanged>) { return "ask.snoozed"; },
    [](Of<SessionCreated>) { return "session.created"; },
    [](Of<SessionChanged>) { return "session.status"; },
    [](Of<SessionEnded>) { return "session.ended"; },
    [](Of<PartAdded>) { return "session.part"; },
    [](Of<MessageAdded>) { return "session.message"; },
    [](Of<MessagesTaken>) { return "session.message"; },
    [](Of<NoticeGiven>) { return "notice"; },
    [](Of<AgentRevoked>) { return "agent.revoked"; },
    [](Of<TokenChanged>) { return "token.changed"; },
    [](Of<MarkChanged>) { return "mark.changed"; },
}(Of<Body>());

}  // namespace parley::native
