// SPDX-License-Identifier: Apache-2.0
// Inside the embedded broker: one watch. The loop takes frames from a subscription and hands them,
// a batch at a time, to the callback thread; the next batch is taken when the last one was told, so
// a slow callback holds one batch and no more.
#pragma once

#include <memory>
#include <vector>

#include "broker/broker.h"
#include "broker/embedded/call_gate.h"
#include "broker/embedded/core.h"
#include "parley/broker.h"

namespace parley::embedded {

class WatchState : public std::enable_shared_from_this<WatchState> {
public:
    WatchState(std::shared_ptr<Core> core, Broker::WatchCallback callback)
        : core_(std::move(core)), callback_(std::move(callback)) {}

    // On the loop.
    [[nodiscard]] Result<void> start(LoopBroker& broker, const WatchRequest& request);
    void cut_off() { subscription_ = {}; }

    // Any thread: after it, the callback does not run.
    void stop();

private:
    void pull();
    void tell(const std::vector<Frame>& frames);

    const std::shared_ptr<Core> core_;
    const Broker::WatchCallback callback_;
    CallGate gate_;

    // Of the loop's own thread.
    Subscription subscription_;
    bool is_telling_ = false;
};

}  // namespace parley::embedded
