// SPDX-License-Identifier: Apache-2.0
// An agent's stream on its way to the broker: in order, some items at a time, tried again while the
// broker is away. Text that grows while it waits is put together. What the broker has of unfinished
// parts it may lose (a restart): they are kept here, and sent again from their start. Whether it
// has written whole parts before a reply was lost, its log says: none is told twice. A part of
// which something was lost for good ends there: nobody is shown the rest as if it were all. Lives
// on its link's executor.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class StreamPusher {
public:
    StreamPusher(Executor& home, const Clock& clock, Link& link, std::string session);

    void push(StreamItem item);
    // Runs `task` once all that was pushed before has arrived, or was refused.
    void when_done(Task task);

private:
    void send();
    void fill();
    void sent(const Result<void>& result);
    void refused(const Error& error);
    void retry_later();
    // Nobody has said what of what was sent is written.
    void look_later();
    void looked(const Result<SessionLog>& log);
    std::size_t count_written(const SessionLog& log) const;
    // Takes the first `count` items that were sent for arrived.
    void arrived(std::size_t count);
    // What was sent waits again.
    void put_back();
    // The same, before it the unfinished parts from their start.
    void begin_parts_again();
    // The item will never arrive; a part that it belongs to is at its end.
    void lose(const StreamItem& item);

    using Mark = std::pair<Part::Kind, std::string>;  // by which a whole part is known again
    using Key = std::pair<PartDelta::Kind, std::string>;
    // The part that this one ends.
    static std::optional<Key> key_of(const Part& part);
    // The part that the item says more of and that must be open for it.
    static std::optional<Key> continued(const StreamItem& item);
    std::vector<PartDelta>::iterator find_open(const Key& key);

    Executor& home_;
    const Clock& clock_;
    Link& link_;
    std::string session_;
    std::deque<StreamItem> waiting_;
    std::vector<StreamItem> sending_;
    std::vector<PartDelta> open_;  // unfinished at the broker, each a start with all of its text
    std::set<Key> lost_;
    std::deque<Mark> written_;  // the latest, as far as we were told
    std::vector<Task> when_done_;
    Millis delay_;
    bool is_under_way_ = false;  // a push, or the time until the next
    bool is_over_ = false;       // the session takes no more
    Lifetime alive_;
};

}  // namespace parley
