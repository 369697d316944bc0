// SPDX-License-Identifier: Apache-2.0
// Behind parley::AnyBroker: one watch. The loop takes frames from the link and hands them, a batch
// at a time, to the callback thread; the next batch is taken when the last one was told.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "client/program/call_gate.h"
#include "client/program/core.h"
#include "client/program/frame_queue.h"
#include "parley/any_broker.h"

namespace parley::program {

class WatchState : public std::enable_shared_from_this<WatchState> {
public:
    WatchState(std::shared_ptr<Core> core, AnyBroker::WatchCallback callback)
        : core_(std::move(core)), callback_(std::move(callback)) {}

    // On the loop. `started` when it stands or is refused; it stands also where the link tries
    // again.
    void start(Link& link, const WatchRequest& request, Done<void> started);
    void cut_off();

    // Any thread: after it, the callback does not run.
    void stop();

private:
    void is_standing(Result<void> standing);
    void pull();
    void tell(const std::vector<Frame>& frames);

    const std::shared_ptr<Core> core_;
    const AnyBroker::WatchCallback callback_;
    CallGate gate_;

    // Of the loop's own thread.
    Done<void> started_;  // until it was told
    std::optional<FrameQueue> frames_;
    bool is_telling_ = false;
};

}  // namespace parley::program
