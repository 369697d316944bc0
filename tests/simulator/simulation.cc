// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <memory>
#include <vector>

#include "clients.h"
#include "disk.h"
#include "end_checks.h"
#include "nodes_simulation.h"
#include "oracle.h"
#include "process.h"
#include "random.h"
#include "sqlite_disk.h"

namespace parley::sim {

namespace {

using namespace std::chrono_literals;

class Simulation {
public:
    explicit Simulation(const RunOptions& options)
        : random_(options.seed), oracle_(clock_), world_{clock_, random_, oracle_} {
        world_.revokes = options.revokes;
        if (options.disk == DiskKind::memory) {
            disk_ = std::make_unique<MemoryDisk>(clock_, random_);
        } else {
            disk_ = std::make_unique<SqliteDisk>(clock_, random_);
        }
        for (int i = 0; i < kAgents; ++i) agents_.emplace_back(std::make_unique<Agent>(world_, i));
        for (int i = 0; i < kResponders; ++i)
            responders_.emplace_back(std::make_unique<Responder>(world_, i));
        for (int i = 0; i < 2; ++i) watchers_.emplace_back(std::make_unique<Watcher>(world_, i));
        // A third of the runs have a faulty disk, a third never crash.
        faults_ = random_.chance(33) ? Faults{.commit_percent = 5, .open_percent = 20} : Faults{};
        crash_percent_ = random_.chance(66) ? 2 : 0;
    }

    void run(int steps, RunReport& report) {
        first_start();
        disk_->set_faults(faults_);
        for (int i = 0; i < steps; ++i) {
            step(report);
            look();
        }
        finish();
        report.asks = oracle_.durable_asks().size();
        for (const auto& [id, ask] : oracle_.durable_asks())
            report.settled += ask->settlement != nullptr;
        for (const auto& [id, ask] : process_->broker().ledger().pending())
            report.revoked += ask->is_asker_revoked ? 1 : 0;
    }

private:
    void first_start() {
        start_process();
        process_->run_until_idle();
        oracle_.begin(process_->broker().ledger().head());
    }

    void start_process() {
        oracle_.process_starts();
        process_ = std::make_unique<Process>(*disk_, clock_, random_);
        world_.process = process_.get();
    }

    void crash() {
        for (auto& agent : agents_) agent->process_died();
        for (auto& responder : responders_) responder->process_died();
        owner_.process_died();
        for (auto& watcher : watchers_) watcher->process_died();
        world_.process = nullptr;
        process_.reset();
        disk_->crash();
    }

    void step(RunReport& report) {
        if (process_ == nullptr || process_->has_failed()) {
            if (process_ != nullptr) crash();
            if (random_.chance(30)) clock_.advance(Millis(random_.below(10'000)));
            start_process();
            return;
        }
        if (random_.chance(crash_percent_)) {
            ++report.crashes;
            crash();
            return;
        }
        const std::size_t what = random_.below(100);
        if (what < 55) {
            process_->step(random_);
        } else if (what < 67) {
            random_.pick(agents_)->act();
        } else if (what < 82) {
            random_.pick(responders_)->act();
        } else if (what < 92) {
            random_.pick(watchers_)->act();
        } else if (what < 94) {
            owner_.act();
        } else if (what < 99) {
            clock_.advance(Millis(random_.below(3000)));
        } else if (process_->is_up()) {
            // The wall clock may step while a process measures; deadlines must not notice.
            clock_.step_wall(Millis(static_cast<std::int64_t>(random_.below(100'000)) - 50'000));
        }
    }

    void look() {
        Engine* view = disk_->view();
        if (view != nullptr) oracle_.check(*view);
    }

    // No more faults: everything that is owed must now be delivered.
    void finish() {
        disk_->set_faults({});
        settle_down();
        // Long enough for every deadline, also where the wall clock was set back before a restart.
        for (int i = 0; i < 100; ++i) {
            clock_.advance(10s);
            settle_down();
        }
        for (int round = 0; round < 6; ++round) {
            for (auto& agent : agents_) agent->wait_if_owed();
            for (auto& watcher : watchers_) watcher->catch_up();
            settle_down();
        }
        for (auto& agent : agents_) agent->check_delivered();
        for (auto& watcher : watchers_) watcher->check_caught_up();
        owner_.check();
        check_deadlines_fired(oracle_);
        check_memory_agrees(*process_, oracle_);
    }

    void settle_down() {
        while (process_ == nullptr || process_->has_failed()) {
            if (process_ != nullptr) crash();
            start_process();
            process_->run_until_idle();
        }
        process_->run_until_idle();
        look();
    }

    SimClock clock_;
    Random random_;
    Oracle oracle_;
    World world_;
    std::unique_ptr<Disk> disk_;
    std::unique_ptr<Process> process_;
    std::vector<std::unique_ptr<Agent>> agents_;
    std::vector<std::unique_ptr<Responder>> responders_;
    std::vector<std::unique_ptr<Watcher>> watchers_;
    Owner owner_{world_};
    Faults faults_;
    unsigned crash_percent_ = 0;
};

}  // namespace

RunReport run(const RunOptions& options) {
    RunReport report;
    try {
        if (options.nodes > 1) {
            NodesSimulation(options).run(options.steps, report);
        } else {
            Simulation(options).run(options.steps, report);
        }
    } catch (const Broken& broken) {
        report.broken = broken.what();
    }
    return report;
}

}  // namespace parley::sim
