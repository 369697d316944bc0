// SPDX-License-Identifier: Apache-2.0
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "client/remote_link.h"
#include "door/door_fixture.h"
#include "link/link_world.h"
#include "net/loop.h"

namespace parley::link_testing {

namespace {

using namespace std::chrono_literals;

// So that a link that is broken fails its test instead of holding up all.
constexpr auto kPatience = 60s;

class RemoteWorld final : public LinkWorld {
public:
    std::unique_ptr<Link> link_as(std::string_view name) override {
        auto link =
            RemoteLink::create(loop_, {.server = *wire::Url::parse("http://" + door_.host()),
                                       .token = std::string(name) + "-secret"});
        EXPECT_TRUE(link) << link.error().message;
        return std::move(*link);
    }
    void run_until(const std::function<bool()>& is_so) override {
        const Mono end = loop_.now() + kPatience;
        loop_.post([&] { look([&] { return is_so() || loop_.now() > end; }); });
        loop_.run();
        ASSERT_TRUE(is_so()) << "it did not become so";
    }
    Instant now() override { return loop_.clock().wall(); }

private:
    void look(std::function<bool()> is_over) {
        if (is_over()) return loop_.stop();
        loop_.post_at(loop_.now() + 1ms,
                      [this, is_over = std::move(is_over)]() mutable { look(std::move(is_over)); });
    }

    door_testing::DoorFixture door_;
    net::Loop loop_;
};

}  // namespace

std::unique_ptr<LinkWorld> make_remote_world() {
    return std::make_unique<RemoteWorld>();
}

}  // namespace parley::link_testing
