// SPDX-License-Identifier: Apache-2.0
// Where the newest items of each session stand in the live log. A commit tells of many sessions and
// most readers watch one: with this a reader looks at its own items, not at all of them.
#pragma once

#include <algorithm>
#include <tuple>
#include <variant>
#include <vector>

#include "broker/live_log.h"

namespace parley {

struct SessionSpan {
    SessionId session;
    LiveLog::Position first = 0;
    LiveLog::Position last = 0;
};

class SessionSpans {
public:
    // Of the items at `from` and behind it, as far as they are still held.
    SessionSpans(const LiveLog& log, LiveLog::Position from) {
        for (LiveLog::Position at = log.end(); at > from && log.holds(at - 1); --at) {
            const SessionId session =
                std::visit([](const auto& item) { return item->session; }, log.at(at - 1));
            spans_.push_back({session, at - 1, at - 1});
        }
        std::sort(spans_.begin(), spans_.end(), [](const SessionSpan& a, const SessionSpan& b) {
            return std::tie(a.session, a.first) < std::tie(b.session, b.first);
        });
        std::size_t kept = 0;
        for (const SessionSpan& span : spans_) {
            if (kept > 0 && spans_[kept - 1].session == span.session) {
                spans_[kept - 1].last = span.last;
            } else {
                spans_[kept++] = span;
            }
        }
        spans_.resize(kept);
    }

    // Null when nothing is of that session.
    const SessionSpan* find(SessionId session) const {
        const auto found = std::lower_bound(
            spans_.begin(), spans_.end(), session,
            [](const SessionSpan& span, SessionId id) { return span.session < id; });
        return found != spans_.end() && found->session == session ? &*found : nullptr;
    }

private:
    std::vector<SessionSpan> spans_;  // ascending, one a session
};

}  // namespace parley
