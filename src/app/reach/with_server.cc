// SPDX-License-Identifier: Apache-2.0
#include "app/reach/with_server.h"

#include <csignal>
#include <memory>
#include <optional>
#include <utility>

namespace parley::app {

void ServerVisit::finish(ExitCode code) {
    if (std::exchange(is_finished_, true)) return;
    code_ = code;
    loop.stop();
}

void ServerVisit::interrupt() {
    if (!interrupted_) return finish(ExitCode::interrupted);
    std::exchange(interrupted_, nullptr)();
}

ExitCode with_server(const RunContext& context, UniqueFunction<void(ServerVisit&)> body,
                     std::string_view door) {
    net::Loop loop;
    ExitCode code = ExitCode::failed;
    std::unique_ptr<BrokerAccess> access;
    std::optional<ServerVisit> session;
    loop.on_signals({SIGINT, SIGTERM, SIGHUP}, [&](int) {
        if (session) return session->interrupt();
        code = ExitCode::interrupted;
        loop.stop();
    });
    open_server(
        {.loop = loop, .environment = context.environment, .global = context.global, .door = door},
        [&](Result<std::unique_ptr<BrokerAccess>> opened) {
            if (!opened) {
                code = context.fail(opened.error());
                return loop.stop();
            }
            access = std::move(*opened);
            session.emplace(context, loop, *access->remote());
            body(*session);
        });
    loop.run();
    if (session) code = session->code();
    return code;
}

}  // namespace parley::app
