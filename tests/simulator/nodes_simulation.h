// SPDX-License-Identifier: Apache-2.0
// One run of several brokers over one store: they crash, stop and go on, and are not always told of
// each other's commits; each client is at one of them and now and then moves to another.
#pragma once

#include <memory>
#include <vector>

#include "clients.h"
#include "disk.h"
#include "oracle.h"
#include "process.h"
#include "random.h"
#include "simulation.h"

namespace parley::sim {

class NodesSimulation {
public:
    explicit NodesSimulation(const RunOptions& options);

    void run(int steps, RunReport& report);

private:
    struct Node {
        std::unique_ptr<Process> process;
        std::size_t stopped_for = 0;  // steps
    };
    // A client and the node that it is at.
    template <class Client>
    struct Seat {
        template <class... Args>
        explicit Seat(const World& common, Args... args) : world(common), client(world, args...) {}

        World world;
        Client client;
    };
    template <class Client>
    using Seats = std::vector<std::unique_ptr<Seat<Client>>>;

    template <class Visit>
    void for_each_seat(const Visit& visit) {
        for (auto& seat : agents_) visit(*seat);
        for (auto& seat : responders_) visit(*seat);
        for (auto& seat : watchers_) visit(*seat);
        visit(owner_);
    }
    template <class Client>
    void let_act(Seat<Client>& seat, RunReport& report);
    template <class Client>
    void move(Seat<Client>& seat);

    void start(Node& node);
    void crash(Node& node);
    void step(RunReport& report);
    void step_node(Node& node);
    void look();
    void finish();
    void settle_down();

    SimClock clock_;
    Random random_;
    Oracle oracle_{clock_, /*is_shared=*/true};
    World common_{clock_, random_, oracle_, nullptr, /*is_shared=*/true};
    MemoryDisk disk_{clock_, random_, /*is_shared=*/true};
    std::vector<Node> nodes_;
    Seats<Agent> agents_;
    Seats<Responder> responders_;
    Seats<Watcher> watchers_;
    Seat<Owner> owner_{common_};
    Faults faults_;
    unsigned crash_percent_ = 0;
};

}  // namespace parley::sim
