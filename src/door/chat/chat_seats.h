// SPDX-License-Identifier: Apache-2.0
// Who holds which session: the newest connection does, at whichever node of the store, and the one
// before it is told so. That is a mark (broker/mark_keys.h); here are the holders at this node.
// Remembers how far the holder of a session was told, so that a client that comes back without a
// cursor gets what it missed; in memory, for limits::kChatSeatsKept sessions, since a client that
// must not miss anything across a restart keeps the cursor itself. Belongs to the loop's thread.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

#include "core/mark.h"
#include "parley/ids.h"

namespace parley {

class ChatConnection;

class ChatSeats {
public:
    // What a session's holder was told.
    struct Told {
        std::optional<Cursor> cursor = {};
        std::set<AskId> shown = {};  // pending asks that it has been shown
    };

    // Takes the session from its holder, if it has one, and gives what that was told.
    Told take(SessionId session, const std::shared_ptr<ChatConnection>& holder);
    // The holder leaves; one that does not hold the session any more changes nothing.
    void leave(SessionId session, const ChatConnection* holder, Told told);

    // The session's seat is this one's now; a holder here that is another gives way.
    void moved(SessionId session, const Mark& seat);

    std::size_t size() const { return seats_.size(); }

private:
    struct Seat {
        SessionId session;
        std::weak_ptr<ChatConnection> holder = {};
        Told told = {};
    };
    void forget_oldest();

    std::list<Seat> seats_;  // the most recently used first
    std::unordered_map<SessionId, std::list<Seat>::iterator> by_session_;
};

}  // namespace parley
