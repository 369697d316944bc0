// SPDX-License-Identifier: Apache-2.0
// What outlives a crash: the durable side of a simulated process. A Disk hands each new process an
// engine; what earlier engines committed is there, what they had not finished may be.
#pragma once

#include <memory>
#include <vector>

#include "random.h"
#include "store/memory_engine.h"
#include "support/sim_world.h"

namespace parley::sim {

struct Faults {
    unsigned commit_percent = 0;  // commits that end in an error, written or not
    unsigned open_percent = 0;
    unsigned lost_news_percent = 0;  // of what others are told of a commit
};

class Disk {
public:
    virtual ~Disk() = default;
    virtual std::unique_ptr<Engine> make_engine() = 0;
    // The process is gone without a word.
    virtual void crash() = 0;
    // To look at what is durable, between two steps; null while there is no way to.
    virtual Engine* view() = 0;
    virtual void set_faults(Faults faults) = 0;
};

// A memory engine that survives its processes, and whose commits may fail either way. Where it is
// shared, several of them write to it, and are told of each other's commits, or not.
class MemoryDisk final : public Disk {
public:
    MemoryDisk(const SimClock& clock, Random& random, bool is_shared = false)
        : engine_(clock), random_(random), is_shared_(is_shared) {
        (void)engine_.open();
    }

    std::unique_ptr<Engine> make_engine() override;
    void crash() override {}
    Engine* view() override { return &engine_; }
    void set_faults(Faults faults) override { faults_ = faults; }

private:
    class Handle;

    MemoryEngine engine_;
    Random& random_;
    const bool is_shared_;
    Faults faults_;
    std::vector<Handle*> watching_;
};

}  // namespace parley::sim
