// SPDX-License-Identifier: Apache-2.0
// Who looks, and by which right: the one place that says which sessions and asks an agent may see.
// People, and who acts in their name, see all. The broker asks here before it shows, tells or
// changes anything; doors decide nothing. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parley/event.h"
#include "parley/values.h"

namespace parley {

struct Viewer {
    std::string principal = {};
    bool sees_all = false;  // a person, or a program that acts for one
    // The session that a token was made for: it acts there whoever opened it, as those before it
    // did.
    std::optional<SessionId> only_session = {};
};

inline const Viewer kUnrestricted = {.sees_all = true};

// How a viewer stands to a session. A session without an owner is the first agent's that acts in
// it.
// Whether no agent has it yet. The default one is where people ask.
bool is_open_to_all(const Session& session);
enum class Standing : std::uint8_t { own, free, foreign };
Standing standing_of(const Viewer& viewer, const Session& session);

bool may_see(const Viewer& viewer, const Session& session);
// An agent sees what it asked itself.
bool may_see(const Viewer& viewer, const Ask& ask);
// Of an event in a session that the viewer may see, or, with `is_session_named` false, in any.
bool may_see(const Viewer& viewer, const Event& event, bool is_session_named);

// What no log of a session shows: it is one person's, or the broker's own.
bool is_private(const Event& event);

// The session of an ask that names none. Every agent has one of that name of its own.
inline constexpr std::string_view kDefaultSession = "default";

// What no two live sessions share: the name, and for an agent's own "default" its owner as well.
std::string live_name(std::string_view name, std::string_view owner);
std::string live_name(const Session& session);
// How a viewer's name for a session is looked up.
std::string live_name_for(const Viewer& viewer, std::string_view name);

}  // namespace parley
