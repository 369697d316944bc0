// SPDX-License-Identifier: Apache-2.0
// What the sessions of documents are called. Those that live, or ended not long ago, the broker
// knows; an older one is looked up in the store before its ask or event is shown. Belongs to the
// loop's thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "broker/broker.h"
#include "dialect/native/server.h"

namespace parley {

class KnownNames : public native::SessionNames, public std::enable_shared_from_this<KnownNames> {
public:
    explicit KnownNames(LoopBroker& broker) : broker_(broker) {}

    std::string_view find(SessionId id) const override;

    bool is_known(SessionId id) const;
    // `then` runs once the sessions of these asks are known, or cannot be.
    void look_up(std::span<const AskPtr> asks, Task then);
    void look_up(const std::set<SessionId>& missing, Task then);

private:
    void remember(SessionId id, std::string name);

    LoopBroker& broker_;
    std::map<SessionId, std::string> ended_;
    std::deque<SessionId> order_;  // of what was looked up; the oldest goes first
};

}  // namespace parley
