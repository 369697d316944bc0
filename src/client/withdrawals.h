// SPDX-License-Identifier: Apache-2.0
// Asks that nobody wants answered any more, on their way back: one after the other, each tried
// again for as long as the broker is away, so that nobody is left with a prompt that leads nowhere.
// Lives on its link's executor.
#pragma once

#include <deque>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "client/link.h"

namespace parley {

class Withdrawals {
public:
    Withdrawals(Executor& home, const Clock& clock, Link& link)
        : home_(home), clock_(clock), link_(link) {}

    // `done` is told what stands then, or an Error that trying again would not mend.
    void add(AskId id, std::string reason, Done<SettleReply> done = [](Result<SettleReply>) {});

private:
    struct Entry {
        AskId id;
        std::string reason;
        Done<SettleReply> done;
    };

    void send();
    void taken(Result<SettleReply> reply);

    Executor& home_;
    const Clock& clock_;
    Link& link_;
    std::deque<Entry> waiting_;
    bool is_under_way_ = false;  // the first of them, or the time until it is tried again
    Lifetime alive_;
};

}  // namespace parley
