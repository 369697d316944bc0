// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "client/local_link.h"
#include "link/link_world.h"
#include "support/sim_broker.h"

namespace parley::link_testing {

namespace {

class LocalWorld final : public LinkWorld {
public:
    std::unique_ptr<Link> link_as(std::string_view name) override {
        const bool is_person = name == "ada" || name == "bob";
        return std::make_unique<LocalLink>(
            LocalLink::Wiring{world_.home, world_.clock, world_.broker},
            Actor{.principal = "prn_" + std::string(name),
                  .door = "test",
                  .name = std::string(name),
                  .sees_all = is_person});
    }
    void run_until(const std::function<bool()>& is_so) override {
        world_.settle_down();
        ASSERT_TRUE(is_so()) << "nothing is left that could make it so";
    }
    Instant now() override { return world_.clock.wall(); }

private:
    sim::SimBroker world_;
};

}  // namespace

std::unique_ptr<LinkWorld> make_local_world() {
    return std::make_unique<LocalWorld>();
}

}  // namespace parley::link_testing
