// SPDX-License-Identifier: Apache-2.0
// parley join codex: what the Codex of this user asks, in whichever window, waits in the broker
// too.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/codex/codex_join.h"
#include "app/commands/commands.h"
#include "app/reach/with_server.h"
#include "app/setup/codex_setup.h"
#include "text/safe_text.h"

namespace parley::app {

namespace {

class JoinCodexCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Brings what every Codex window of yours asks to the broker: its questions, its "
                "approvals of commands and edits, the forms of its MCP servers. Whoever answers "
                "first, here or there, decides; the other side closes. Nothing is set up in Codex. "
                "Waits for Codex to start, and for its next start, until Ctrl-C.",
            .options = {{.names = "--socket",
                         .value = "PATH",
                         .help = "Where Codex's app-server listens (default: the one that its "
                                 "windows share, below $CODEX_HOME or ~/.codex)",
                         .target = &socket_,
                         .setting = "join.codex_socket",
                         .completion = Completion::file}},
            .examples = {{"parley join codex", "leave it running beside Codex"},
                         {"parley serve --join codex", "the same, as part of the broker"},
                         {"parley join codex --socket /run/user/1000/codex.sock",
                          "for `codex app-server --listen unix:///run/user/1000/codex.sock`"}},
            .notes =
                "`codex exec` and `codex --no-daemon` share nothing and are not seen. When it is "
                "stopped, what it asked is withdrawn here and waits on in Codex.",
        };
    }

    ExitCode run(const RunContext& context) override {
        const auto found = codex_socket(context.environment);
        if (!socket_ && !found)
            return context.refuse_usage("there is no HOME to look for Codex in; give --socket");
        const auto path = socket_ ? std::filesystem::path(*socket_) : *found;
        return with_server(
            context, [&path](ServerVisit& visit) { join(visit, path); }, door_names::kCodex);
    }

private:
    static void join(ServerVisit& visit, const std::filesystem::path& path) {
        auto body = std::make_shared<CodexJoin>(
            visit.loop, visit.link, CodexJoin::Options{.socket = path, .version = PARLEY_VERSION},
            [&visit](CodexJoin::News, std::string_view text) {
                visit.context.complain(escape_unsafe(text));
            });
        visit.keep(body);
        visit.on_interrupt([&visit, join = body.get()] {
            join->stop([&visit] { visit.finish(ExitCode::interrupted); });
        });
        body->start();
    }

    std::optional<std::string> socket_;
};

}  // namespace

std::unique_ptr<Command> make_join_codex() {
    return std::make_unique<JoinCodexCommand>();
}

}  // namespace parley::app
