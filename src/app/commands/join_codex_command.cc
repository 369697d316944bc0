// SPDX-License-Identifier: Apache-2.0
// parley join codex: what the Codex of this user asks, in whichever window, waits in the broker
// too.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/codex/codex_join.h"
#include "app/commands/commands.h"
#include "app/reach/join_claim.h"
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
            context, [&path](ServerVisit& visit) { claim(visit, path); }, door_names::kCodex);
    }

private:
    // What lives as long as the command.
    struct Body {
        JoinClaim claim;
        CodexJoin join;
    };

    static void claim(ServerVisit& visit, const std::filesystem::path& path) {
        visit.link.describe_server([&visit, &path](const Result<native::ServerBody>& server) {
            if (!server) return visit.fail(server.error());
            const auto folder = visit.context.environment.state_folder();
            auto claim =
                JoinClaim::take({.folder = folder.value_or(std::filesystem::temp_directory_path()),
                                 .broker = server->page,
                                 .codex = path});
            if (!claim) return visit.fail(claim.error());
            join(visit, path, std::move(*claim));
        });
    }

    static void join(ServerVisit& visit, const std::filesystem::path& path, JoinClaim claim) {
        const auto tell = [&visit](CodexJoin::News, std::string_view text) {
            visit.context.complain(escape_unsafe(text));
        };
        auto body = std::shared_ptr<Body>(
            new Body{std::move(claim), {visit.loop, visit.link, {path, PARLEY_VERSION}, tell}});
        visit.keep(body);
        visit.on_interrupt([&visit, join = &body->join] {
            join->stop([&visit] { visit.finish(ExitCode::interrupted); });
        });
        body->join.start();
    }

    std::optional<std::string> socket_;
};

}  // namespace

std::unique_ptr<Command> make_join_codex() {
    return std::make_unique<JoinCodexCommand>();
}

}  // namespace parley::app
