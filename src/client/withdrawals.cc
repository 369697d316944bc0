// SPDX-License-Identifier: Apache-2.0
#include "client/withdrawals.h"

#include <utility>

#include "client/away.h"
#include "client/limits.h"

namespace parley {

void Withdrawals::add(AskId id, std::string reason, Done<SettleReply> done) {
    waiting_.push_back({id, std::move(reason), std::move(done)});
    send();
}

void Withdrawals::send() {
    if (waiting_.empty() || std::exchange(is_under_way_, true)) return;
    const Entry& first = waiting_.front();
    link_.withdraw(first.id, first.reason,
                   alive_.guard([this](Result<SettleReply> reply) { taken(std::move(reply)); }));
}

void Withdrawals::taken(Result<SettleReply> reply) {
    if (!reply && is_away(reply.error())) {
        home_.post_at(clock_.mono() + limits::kRetryDelayMax, alive_.guard([this] {
            is_under_way_ = false;
            send();
        }));
        return;
    }
    Entry first = std::move(waiting_.front());
    waiting_.pop_front();
    is_under_way_ = false;
    send();
    // The last, since it may be the end of us.
    first.done(std::move(reply));
}

}  // namespace parley
