// SPDX-License-Identifier: Apache-2.0
// Behind parley::Client: a link to a broker that runs elsewhere, on a loop with a thread of its
// own.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/environment.h"
#include "client/program/home.h"
#include "client/remote_link.h"
#include "net/loop.h"
#include "parley/client.h"

namespace parley::program {

class RemoteHome final : public Home {
public:
    RemoteHome(ClientOptions options, const Environment& environment);

    [[nodiscard]] Result<void> open() override;
    void close() override;
    Executor& loop() override { return loop_; }
    Link& link() override { return *link_; }

private:
    // On the loop: of several addresses the first where a broker is.
    void reach(std::size_t number, Done<void> done);
    [[nodiscard]] Result<std::unique_ptr<RemoteLink>> make_link(const std::string& address);

    const ClientOptions options_;
    std::string token_;
    std::vector<std::string> addresses_;  // where to look, in order

    net::Loop loop_;
    std::unique_ptr<RemoteLink> link_;  // of the loop's own thread
    std::thread thread_;
};

}  // namespace parley::program
