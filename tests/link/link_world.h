// SPDX-License-Identifier: Apache-2.0
// Where the links of the suite live: a broker with nothing in it, links to it as their callers, and
// a way to let things happen. One world has its broker in this process, the other behind a socket.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "client/link.h"

namespace parley::link_testing {

class LinkWorld {
public:
    virtual ~LinkWorld() = default;

    // Persons are ada and bob, agents are bot and rival.
    virtual std::unique_ptr<Link> link_as(std::string_view name) = 0;
    // Lets things happen until it is so; the test fails when it never is.
    virtual void run_until(const std::function<bool()>& is_so) = 0;
    // The broker's clock.
    virtual Instant now() = 0;
};

using MakeWorld = std::unique_ptr<LinkWorld> (*)();
std::unique_ptr<LinkWorld> make_local_world();
std::unique_ptr<LinkWorld> make_remote_world();

}  // namespace parley::link_testing
