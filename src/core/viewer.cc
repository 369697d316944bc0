// SPDX-License-Identifier: Apache-2.0
#include "core/viewer.h"

#include <variant>

#include "base/overload.h"

namespace parley {

namespace {

// Names have no line breaks.
constexpr char kOwnerMark = '\n';

bool sees_asks_of(const Viewer& viewer, std::string_view asker, SessionId session) {
    const bool is_asker = !viewer.principal.empty() && asker == viewer.principal;
    return viewer.sees_all || is_asker || (viewer.only_session && session == *viewer.only_session);
}

}  // namespace

bool is_open_to_all(const Session& session) {
    return session.owner.empty() && session.name != kDefaultSession;
}

Standing standing_of(const Viewer& viewer, const Session& session) {
    if (viewer.sees_all) return Standing::own;
    if (viewer.only_session &&
        (session.id == *viewer.only_session || session.parent == viewer.only_session))
        return Standing::own;
    if (!session.owner.empty())
        return session.owner == viewer.principal ? Standing::own : Standing::foreign;
    // An agent has a default session of its own. Nobody has none.
    const bool is_free = !viewer.principal.empty() && is_open_to_all(session);
    return is_free ? Standing::free : Standing::foreign;
}

bool may_see(const Viewer& viewer, const Session& session) {
    return standing_of(viewer, session) != Standing::foreign;
}

bool may_see(const Viewer& viewer, const Ask& ask) {
    return sees_asks_of(viewer, ask.spec->asker, ask.session);
}

bool may_see(const Viewer& viewer, const Event& event, bool is_session_named) {
    return std::visit(
        Overload{
            [&](const AskOpened& opened) { return may_see(viewer, *opened.ask); },
            [&](const AskSettled& settled) { return may_see(viewer, *settled.ask); },
            [&](const ContentDeleted& deleted) {
                return sees_asks_of(viewer, deleted.asker, event.session);
            },
            // They are one person's.
            [&](const DraftChanged& draft) { return draft.principal == viewer.principal; },
            [&](const SnoozeChanged& snooze) { return snooze.principal == viewer.principal; },
            [&](const AgentRevoked&) { return viewer.sees_all; },
            // It is the broker's own.
            [](const OneOf<TokenChanged, MarkChanged> auto&) { return false; },
            [&](const OneOf<SessionCreated, SessionChanged, SessionEnded, PartAdded, MessageAdded,
                            MessagesTaken, NoticeGiven> auto&) {
                return viewer.sees_all || is_session_named;
            },
        },
        event.body);
}

bool is_private(const Event& event) {
    return std::visit(
        Overload{
            [](const OneOf<DraftChanged, SnoozeChanged, TokenChanged, MarkChanged> auto&) {
                return true;
            },
            [](const OneOf<AskOpened, AskSettled, SessionCreated, SessionChanged, SessionEnded,
                           PartAdded, MessageAdded, MessagesTaken, NoticeGiven, AgentRevoked,
                           ContentDeleted> auto&) { return false; },
        },
        event.body);
}

std::string live_name(std::string_view name, std::string_view owner) {
    std::string key(name);
    if (name != kDefaultSession || owner.empty()) return key;
    return key.append(1, kOwnerMark).append(owner);
}

std::string live_name(const Session& session) {
    return live_name(session.name.value_or(std::string()), session.owner);
}

std::string live_name_for(const Viewer& viewer, std::string_view name) {
    return live_name(name, viewer.sees_all ? std::string_view() : viewer.principal);
}

}  // namespace parley
