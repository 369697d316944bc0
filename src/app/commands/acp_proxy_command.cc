// SPDX-License-Identifier: Apache-2.0
// parley acp-proxy: stands between an editor and its agent, so that what the agent asks also waits
// in the broker.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <utility>

#include "agent/line_process.h"
#include "app/commands/agent_run.h"
#include "app/commands/commands.h"
#include "app/limits.h"
#include "app/reach/broker_access.h"
#include "app/terminal/line_reader.h"
#include "bridge/acp/race.h"
#include "bridge/limits.h"
#include "client/limits.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

class Proxy final : private LineProcess::Listener {
public:
    Proxy(const RunContext& context, std::vector<std::string> command)
        : context_(context), command_(std::move(command)) {}

    ExitCode run() {
        loop_.on_signals({SIGINT, SIGTERM, SIGHUP}, [this](int) {
            if (!agent_ || std::exchange(is_told_to_end_, true)) return loop_.stop();
            agent_->stop();
        });
        if (auto started = start(); !started) return context_.fail(started.error());
        reach_broker();
        read_next();
        loop_.run();
        return code_;
    }

private:
    Result<void> start() {
        std::error_code error;
        const std::string name = std::filesystem::path(command_.front()).stem().string();
        const std::string agent = one_line(name, limits::kAcpChoiceChars);
        race_ = std::make_unique<AcpRace>(
            AcpRace::Wiring{loop_, loop_.clock()},
            AcpRace::Options{.agent = agent,
                             .called = agent,
                             .folder = std::filesystem::current_path(error).string(),
                             .run = make_uuid().substr(0, 8)},
            AcpRace::Outlets{[this](std::string line) { context_.console.print(line); },
                             [this](std::string line) { agent_->send(std::move(line)); }});
        TRY(agent_process,
            LineProcess::start(
                loop_, {.argv = command_, .line_bytes_max = limits::kAcpProxyLineBytes}, *this));
        agent_ = std::move(agent_process);
        return {};
    }

    // One that is away does not matter, and is looked for again.
    void reach_broker() {
        open_server({.loop = loop_, .environment = context_.environment, .global = context_.global},
                    [this](Result<std::unique_ptr<BrokerAccess>> opened) {
                        if (!opened) {
                            loop_.post_at(loop_.now() + limits::kRetryDelayMax,
                                          [this] { reach_broker(); });
                            return;
                        }
                        access_ = std::move(*opened);
                        race_->join(access_->link());
                    });
    }

    void read_next() {
        reader_.next([this](std::optional<std::string> line) {
            if (!line) {
                agent_->close_input();
                return watch_editor();
            }
            race_->from_editor(*line);
            read_next();
        });
    }

    // Not every agent ends with its input; one whose editor is gone has nobody to work for.
    void watch_editor() {
        loop_.post_at(loop_.now() + limits::kEditorGoneAfter, [this] {
            if (context_.console.is_reader_gone()) return agent_->stop();
            watch_editor();
        });
    }

    bool on_line(const std::string& line) override {
        race_->from_agent(line);
        return true;
    }

    void on_error_line(const std::string& line) override { context_.console.tell(line + "\n"); }

    void on_exit(net::ExitStatus status, std::vector<std::string>) override {
        code_ =
            static_cast<ExitCode>(status.signal != 0 ? kSignalled + status.signal : status.code);
        race_->end([this] { loop_.stop(); });
        loop_.post_at(loop_.now() + limits::kMcpFarewell, [this] { loop_.stop(); });
    }

    static constexpr int kSignalled = 128;  // as shells say it

    const RunContext& context_;
    std::vector<std::string> command_;
    net::Loop loop_;
    ExitCode code_ = ExitCode::failed;
    bool is_told_to_end_ = false;
    std::unique_ptr<BrokerAccess> access_;
    std::unique_ptr<AcpRace> race_;
    std::unique_ptr<LineProcess> agent_;
    LineReader reader_{Console::kIn, loop_, limits::kAcpProxyLineBytes};
};

class AcpProxyCommand final : public Command {
public:
    CommandSpec spec() override {
        return {
            .about =
                "Stands between an editor and its agent, which speak the Agent Client Protocol on "
                "standard input and output. The editor works as before; what the agent asks also "
                "waits in the broker, and the first answer wins. Put it before the agent's command "
                "in the editor's settings.",
            .examples = {{"parley acp-proxy -- gemini --acp", "in place of: gemini --acp"},
                         {"parley acp-proxy -- opencode acp", "in place of: opencode acp"}},
            .notes =
                "Ends as the agent ends, with its exit code. Without a broker it only passes "
                "on, and looks for one now and then.",
            .passed_on = &passed_on_};
    }

    ExitCode run(const RunContext& context) override {
        if (passed_on_.empty())
            return context.refuse_usage(
                "the agent's command is missing; give it after --, as in: parley acp-proxy -- "
                "gemini --acp");
        return Proxy(context, passed_on_).run();
    }

private:
    std::vector<std::string> passed_on_;
};

}  // namespace

std::unique_ptr<Command> make_acp_proxy() {
    return std::make_unique<AcpProxyCommand>();
}

}  // namespace parley::app
