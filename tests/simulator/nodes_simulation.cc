// SPDX-License-Identifier: Apache-2.0
#include "nodes_simulation.h"

#include "end_checks.h"

namespace parley::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kStoppedStepsMax = 60;

}  // namespace

NodesSimulation::NodesSimulation(const RunOptions& options)
    : random_(options.seed), nodes_(static_cast<std::size_t>(options.nodes)) {
    for (int i = 0; i < kAgents; ++i) agents_.push_back(std::make_unique<Seat<Agent>>(common_, i));
    for (int i = 0; i < kResponders; ++i)
        responders_.push_back(std::make_unique<Seat<Responder>>(common_, i));
    for (int i = 0; i < 2; ++i) watchers_.push_back(std::make_unique<Seat<Watcher>>(common_, i));
    faults_.lost_news_percent = random_.chance(50) ? 30 : 0;
    if (random_.chance(33)) faults_.commit_percent = 3;
    if (faults_.commit_percent > 0) faults_.open_percent = 20;
    crash_percent_ = random_.chance(66) ? 2 : 0;
}

void NodesSimulation::run(int steps, RunReport& report) {
    oracle_.begin(disk_.view()->open()->head);
    for (Node& node : nodes_) start(node);
    disk_.set_faults(faults_);
    for (int i = 0; i < steps; ++i) {
        step(report);
        look();
    }
    finish();
    report.asks = oracle_.durable_asks().size();
    for (const auto& [id, ask] : oracle_.durable_asks())
        report.settled += ask->settlement != nullptr;
}

void NodesSimulation::start(Node& node) {
    oracle_.process_starts();
    node.process = std::make_unique<Process>(disk_, clock_, random_);
    node.stopped_for = 0;
}

void NodesSimulation::crash(Node& node) {
    for_each_seat([&](auto& seat) {
        if (seat.world.process != node.process.get()) return;
        seat.client.process_died();
        seat.world.process = nullptr;
    });
    node.process.reset();
}

void NodesSimulation::step(RunReport& report) {
    Node& node = random_.pick(nodes_);
    if (node.process != nullptr && random_.chance(crash_percent_)) {
        ++report.crashes;
        return crash(node);
    }
    const std::size_t what = random_.below(100);
    if (what < 60) {
        step_node(node);
    } else if (what < 70) {
        let_act(*random_.pick(agents_), report);
    } else if (what < 84) {
        let_act(*random_.pick(responders_), report);
    } else if (what < 93) {
        let_act(*random_.pick(watchers_), report);
    } else if (what < 95) {
        let_act(owner_, report);
    } else if (what < 96) {
        node.stopped_for = random_.below(kStoppedStepsMax);
    } else {
        clock_.advance(Millis(random_.below(3000)));
    }
}

void NodesSimulation::step_node(Node& node) {
    if (node.process == nullptr || node.process->has_failed()) {
        if (node.process != nullptr) crash(node);
        return start(node);
    }
    if (node.stopped_for > 0) {
        --node.stopped_for;
        return;
    }
    // Several at a time, or three nodes would get nowhere in a run.
    for (int i = 0; i < 3; ++i) node.process->step(random_);
}

template <class Client>
void NodesSimulation::let_act(Seat<Client>& seat, RunReport& report) {
    bool may_leave = true;
    if constexpr (requires { seat.client.is_at_work(); }) may_leave = !seat.client.is_at_work();
    if (seat.world.process == nullptr || (may_leave && random_.chance(5))) {
        report.moves += seat.world.process != nullptr;
        move(seat);
    }
    if (seat.world.process != nullptr) seat.client.act();
}

// What it left unanswered there, nobody will tell it.
template <class Client>
void NodesSimulation::move(Seat<Client>& seat) {
    if (seat.world.process != nullptr) seat.client.process_died();
    seat.world.process = random_.pick(nodes_).process.get();
}

void NodesSimulation::look() {
    oracle_.check(*disk_.view());
}

// No more faults: everything that is owed must now be delivered.
void NodesSimulation::finish() {
    disk_.set_faults({});
    settle_down();
    for_each_seat([&](auto& seat) {
        if (seat.world.process == nullptr) move(seat);
    });
    for (int i = 0; i < 100; ++i) {
        clock_.advance(10s);
        settle_down();
    }
    for (int round = 0; round < 6; ++round) {
        for (auto& seat : agents_) seat->client.wait_if_owed();
        for (auto& seat : watchers_) seat->client.catch_up();
        settle_down();
    }
    for (auto& seat : agents_) seat->client.check_delivered();
    for (auto& seat : watchers_) seat->client.check_caught_up();
    owner_.client.check();
    check_deadlines_fired(oracle_);
    for (Node& node : nodes_) check_memory_agrees(*node.process, oracle_);
}

void NodesSimulation::settle_down() {
    for (Node& node : nodes_) {
        // One that was starting may have failed and not know yet.
        if (node.process != nullptr) node.process->run_until_idle();
        while (node.process == nullptr || node.process->has_failed()) {
            if (node.process != nullptr) crash(node);
            start(node);
            node.process->run_until_idle();
        }
    }
    // What one writes is news to the others, and they may write because of it.
    for (int round = 0; round < 4; ++round)
        for (Node& node : nodes_) node.process->run_until_idle();
    look();
}

}  // namespace parley::sim
