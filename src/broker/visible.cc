// SPDX-License-Identifier: Apache-2.0
#include "broker/visible.h"

#include <utility>
#include <vector>

#include "core/weight.h"

namespace parley {

namespace {

// A log is of one session, which was found for its reader. Whose a draft is reads it with its ask.
bool is_logged(const Event& event, const Viewer& viewer) {
    return may_see(viewer, event, true) && !is_private(event);
}

}  // namespace

bool is_shown(const Ask& ask, const Viewer& viewer) {
    return may_see(viewer, ask);
}

bool is_shown(const Session& session, const Viewer& viewer) {
    return may_see(viewer, session);
}

bool is_told(const SubscribeRequest& reader, const Event& event) {
    if (reader.session && event.session != *reader.session) return false;
    return may_see(reader.viewer, event, reader.session.has_value());
}

// Who follows all sessions but may not see all is told no deltas: they do not say whose they are.
bool is_told(const SubscribeRequest& reader, const PartDelta& delta) {
    return reader.session ? delta.session == *reader.session : !is_agent(reader.viewer);
}

bool is_agent(const Viewer& viewer) {
    return !viewer.sees_all;
}

std::optional<std::string> only_asker(const Viewer& viewer, std::optional<SessionId> session) {
    const bool acts_for_it = session && viewer.only_session == session;
    return !is_agent(viewer) || acts_for_it ? std::nullopt : std::optional(viewer.principal);
}

void narrow(AskQuery& query, const Viewer& viewer) {
    if (!is_agent(viewer)) return;
    // Who acts for one session and names none means that one, as when it asks.
    if (!query.session) query.session = viewer.only_session;
    if (auto asker = only_asker(viewer, query.session)) query.asker = std::move(asker);
}

void hide(AskPage& page, const Viewer& viewer) {
    page.hidden += std::erase_if(page.asks, [&](const AskPtr& ask) {
        if (is_shown(*ask, viewer)) return false;
        page.hidden_bytes += weight_of(*ask);
        return true;
    });
}

ShownEvents hide(EventPage page, const Viewer& viewer) {
    ShownEvents log{.has_gap = page.has_gap, .oldest = page.oldest};
    if (page.has_more && !page.events.empty()) log.next = page.events.back()->cursor;
    std::erase_if(page.events, [&](const EventPtr& event) { return !is_logged(*event, viewer); });
    log.events = std::move(page.events);
    return log;
}

}  // namespace parley
