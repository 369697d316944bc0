// SPDX-License-Identifier: Apache-2.0
// Behind parley::Server: a broker of the program's own that is served to others, on a loop with a
// thread of its own.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "app/serve/server.h"
#include "base/log.h"
#include "client/local_link.h"
#include "client/program/home.h"
#include "net/loop.h"

namespace parley::program {

class ServerHome final : public Home {
public:
    ServerHome(app::ServeOptions options, std::string principal);

    [[nodiscard]] Result<void> open() override;
    void close() override;
    Executor& loop() override { return loop_; }
    Link& link() override { return *link_; }

    // On the loop.
    app::Server& server() { return *server_; }

private:
    void stop_loop();

    const app::ServeOptions options_;
    const std::string principal_;

    net::Loop loop_;
    // Of a server that is part of another program, trouble alone is told.
    Log log_{loop_.clock(), {.level = LogLevel::warning}};
    // Of the loop's own thread.
    std::unique_ptr<app::Server> server_;
    std::unique_ptr<LocalLink> link_;
    std::thread thread_;
};

}  // namespace parley::program
