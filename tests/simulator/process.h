// SPDX-License-Identifier: Apache-2.0
// One life of a broker process in the simulation: its two executors, its store, its broker.
// Dropping it is kill -9: queued tasks never run.
#pragma once

#include <memory>

#include "broker/broker.h"
#include "disk.h"
#include "random.h"
#include "store/store.h"
#include "support/sim_world.h"

namespace parley::sim {

class Process {
public:
    Process(Disk& disk, const SimClock& clock, Random& random)
        : home_(clock),
          worker_(clock),
          store_(disk.make_engine(), {worker_, home_, clock}),
          broker_({home_, clock, store_, [&random] { return random.bits(); }}) {
        broker_.start([this](Result<void> result) {
            is_up_ = result.has_value();
            has_failed_ = !result;
        });
    }

    // One task of one of the two executors; which one is for the seed to say.
    bool step(Random& random) {
        if (random.chance(50)) return home_.run_one() || worker_.run_one();
        return worker_.run_one() || home_.run_one();
    }

    LoopBroker& broker() { return broker_; }
    SimExecutor& home() { return home_; }
    bool is_up() const { return is_up_; }
    bool has_failed() const { return has_failed_; }  // to start
    void run_until_idle() { sim::run_until_idle(home_, worker_); }

private:
    SimExecutor home_;
    SimExecutor worker_;
    Store store_;
    LoopBroker broker_;
    bool is_up_ = false;
    bool has_failed_ = false;
};

}  // namespace parley::sim
