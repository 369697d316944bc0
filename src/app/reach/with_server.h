// SPDX-License-Identifier: Apache-2.0
// For commands that talk to a running broker: opens the link, runs the loop until the command says
// how it ends, and says what went wrong where no broker is reached.
#pragma once

#include <memory>
#include <utility>

#include "app/command_line/exit_codes.h"
#include "app/command_line/run_context.h"
#include "app/reach/broker_access.h"
#include "base/unique_function.h"
#include "client/remote_link.h"
#include "net/loop.h"

namespace parley::app {

// What a body works with. finish() ends the command; only its first call counts.
class ServerVisit {
public:
    ServerVisit(const RunContext& context, net::Loop& loop, RemoteLink& link)
        : context(context), loop(loop), link(link) {}

    const RunContext& context;
    net::Loop& loop;
    RemoteLink& link;

    void finish(ExitCode code);
    // Lives as long as the session, and so goes before the link and the loop do.
    void keep(std::shared_ptr<void> body) { body_ = std::move(body); }
    void fail(const Error& error) { finish(context.fail(error)); }
    // What Ctrl-C, a closed window and SIGTERM do instead of ending it at once; the second time
    // they do.
    void on_interrupt(UniqueFunction<void()> handler) { interrupted_ = std::move(handler); }
    void interrupt();
    ExitCode code() const { return code_; }

private:
    ExitCode code_ = ExitCode::failed;
    bool is_finished_ = false;
    UniqueFunction<void()> interrupted_;
    std::shared_ptr<void> body_;
};

// Ctrl-C ends any of them with `interrupted`. `door`: which of our doors the command is.
ExitCode with_server(const RunContext& context, UniqueFunction<void(ServerVisit&)> body,
                     std::string_view door = door_names::kTerminal);

}  // namespace parley::app
