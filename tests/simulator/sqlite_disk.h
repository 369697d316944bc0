// SPDX-License-Identifier: Apache-2.0
// The real SQLite engine on a simulated disk: commits go through SQLite's own files, a crash is a
// killed process or a power loss, and writes fail in the middle.
#pragma once

#include <memory>

#include "disk.h"
#include "store/fault_vfs.h"
#include "store/sqlite_engine.h"

namespace parley::sim {

class SqliteDisk final : public Disk {
public:
    SqliteDisk(const SimClock& clock, Random& random)
        : clock_(clock), random_(random), vfs_(random.bits()) {}

    std::unique_ptr<Engine> make_engine() override;
    void crash() override;
    Engine* view() override;
    void set_faults(Faults faults) override { faults_ = faults; }

private:
    class Handle;

    const SimClock& clock_;
    Random& random_;
    CrashVfs vfs_;
    Faults faults_;
    Handle* current_ = nullptr;
};

}  // namespace parley::sim
