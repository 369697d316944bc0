// SPDX-License-Identifier: Apache-2.0
// An answer made of a session's messages, however much was said in it: first an outline is read,
// then each part where it stands in the past, as the client takes them. Belongs to the loop's
// thread.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/broker.h"
#include "dialect/opencode/messages.h"
#include "door/opencode/opencode_door.h"
#include "door/sliced_reply.h"

namespace parley::opencode {

class MessageReply {
public:
    MessageReply(OpenCodeDoor& door, SessionPtr session, net::Exchange exchange)
        : broker_(door.broker()),
          viewer_(viewer(exchange)),
          session_(std::move(session)),
          outline_(door.scene_of(session_.get())),
          reply_(std::move(exchange)) {}
    // What was folded already.
    MessageReply(OpenCodeDoor& door, SessionPtr session, net::Exchange exchange,
                 MessageOutline outline)
        : broker_(door.broker()),
          viewer_(viewer(exchange)),
          session_(std::move(session)),
          outline_(std::move(outline)),
          reply_(std::move(exchange)) {}

    // Folds the whole past of the session. False: it failed, and that was answered.
    net::Co<bool> read_outline();
    const MessageOutline& outline() const { return outline_; }

    // [{info, parts}], the newest `limit` of them, oldest first.
    net::Co<void> write_list(std::size_t limit);
    // {info, parts}.
    net::Co<void> write_one(MessageOutline::Message message);

    net::Exchange& exchange() { return reply_.exchange(); }

private:
    // False: it failed, or nobody reads any more.
    net::Co<bool> write(MessageOutline::Message message);
    net::Co<Result<ShownEvents>> read_page(EventQuery query);
    // Null if it is not kept any more.
    net::Co<Result<EventPtr>> find(Cursor cursor);
    void fail(const Error& error);

    LoopBroker& broker_;
    Viewer viewer_;
    SessionPtr session_;
    MessageOutline outline_;
    SlicedReply reply_;
    std::vector<EventPtr> page_;  // around the last one that was looked for
};

}  // namespace parley::opencode
