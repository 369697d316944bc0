// SPDX-License-Identifier: Apache-2.0
// The keeper of who may see: every read, list, wait, subscription, settlement and stop of the
// broker asks here, and nobody else asks the rules (core/viewer.h). What is hidden from a viewer is
// as if it were not there. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "broker/requests.h"
#include "broker/subscription.h"
#include "core/viewer.h"

namespace parley {

bool is_shown(const Ask& ask, const Viewer& viewer);
bool is_shown(const Session& session, const Viewer& viewer);

// The same, or null for what is hidden. Null stays null.
template <class Pointer>
Pointer shown(Pointer found, const Viewer& viewer) {
    return found && is_shown(*found, viewer) ? std::move(found) : Pointer();
}

// Whether it is told what happens.
bool is_told(const SubscribeRequest& reader, const Event& event);
bool is_told(const SubscribeRequest& reader, const PartDelta& delta);

// An agent has a quota and owns what it opens; people, and who acts for them, have neither.
bool is_agent(const Viewer& viewer);
// Whose asks alone the viewer is shown, of one session or, with none, of all; nullopt: everybody's.
std::optional<std::string> only_asker(const Viewer& viewer, std::optional<SessionId> session);

// Before a page is cut: of what the viewer may see, so that nothing else is looked at.
void narrow(AskQuery& query, const Viewer& viewer);
// Of a page that was cut.
void hide(AskPage& page, const Viewer& viewer);
ShownEvents hide(EventPage page, const Viewer& viewer);

}  // namespace parley
