// SPDX-License-Identifier: Apache-2.0
// OpenCode as the agent of a session: one of its sessions, on a server that we start and end, or on
// one that runs elsewhere, where its own windows may speak in it too. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/driven_session.h"
#include "agent/driver.h"
#include "agent/line_process.h"
#include "agent/opencode/opencode_asks.h"
#include "agent/opencode/opencode_prompt.h"
#include "agent/opencode/opencode_server.h"
#include "dialect/opencode/server_stream.h"

namespace parley {

class OpencodeAgent final : public Driver,
                            private LineProcess::Listener,
                            private OpencodeServer::Listener,
                            private OpencodeAsks::Listener,
                            private OpencodePrompt::Listener,
                            private DrivenSession::Program {
public:
    struct Options {
        // How its server is started; nothing: it runs elsewhere, at `server`'s address.
        std::optional<net::ChildOptions> command;
        OpencodeServer::Options server;
        DrivenSession::Options session;
        opencode::PromptChoice choice = {};
        std::optional<std::string> prompt = {};
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
    };

    OpencodeAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                  Finished finished);
    ~OpencodeAgent() override;

    void start() override { session_.open(); }
    void say(std::string text) override { session_.say(std::move(text)); }
    Interruption interrupt() override { return session_.interrupt(); }
    void quit() override;

private:
    // `starting` until it has a session, `running` while it may be given messages.
    enum class Life : std::uint8_t { starting, running, quitting };

    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    void on_exit(net::ExitStatus status, std::vector<std::string> words) override;
    // OpencodeServer::Listener
    void on_connected(const std::string& version) override;
    void on_event(const opencode::ServerEvent& event) override;
    void on_lost(const Error& why) override;
    void on_refused(const Error& why) override { fail(why.message); }
    // OpencodeAsks::Listener
    std::optional<SessionRequest> place_of(const opencode::SessionFacts& root) override;
    void asked(const AskRequest& request) override { onlooker_.show_asked(request); }
    void say(const opencode::SessionFacts& root, std::string words) override;
    void tell(const std::string& session, NoticeGiven notice) override;
    void trouble(const std::string& text) override { session_.warn(text); }
    // OpencodePrompt::Listener
    void prompt_taken(const Result<void>& taken) override;
    void prompt_found() override { look_at_turn(); }
    void prompt_lost(const Error& why) override;
    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override;
    bool is_ready() const override {
        return life_ == Life::running && is_connected_ && !prompt_.is_under_way();
    }
    void give(std::vector<std::string> texts, Task has_them) override;
    void turn_stopped() override;
    void session_ended(std::string why) override;

    void spawn(const net::ChildOptions& command);
    void connect();
    void open_session();
    void found_session(const Result<json::Value>& info);
    void found_agents(const Result<json::Value>& list);
    void began();
    void read(const std::string& path, const std::string& directory,
              UniqueFunction<void(const json::Value&)> done);
    void read_status(UniqueFunction<void(bool is_busy)> done);
    void look_at_turn();
    void read_outcome();
    void on_status(const opencode::SessionStatus& status);
    void hear(const std::string& words);
    void check_idle();
    void end_turn();
    void went_idle();
    void fail(std::string why);
    void close();
    void conclude(Ending ending);
    std::string own_path(std::string_view rest = {}) const;
    bool is_own(const opencode::ServerEvent& event) const;

    net::Loop& loop_;
    Options options_;
    Onlooker& onlooker_;
    OpencodeAsks asks_;
    OpencodePrompt prompt_;
    std::unique_ptr<LineProcess> process_;
    std::unique_ptr<OpencodeServer> server_;
    std::string own_name_;        // of the session, once it is known
    opencode::SessionFacts own_;  // once it is there
    opencode::ServerStream stream_;
    Life life_ = Life::starting;
    bool is_connected_ = false;
    bool is_opening_ = false;  // its session
    bool is_away_told_ = false;
    bool has_begun_ = false;            // what we gave last is being worked on
    bool is_cancelled_ = false;         // this turn
    std::vector<std::string> unheard_;  // given, and its events have yet to tell it
    std::string retry_;                 // told last
    std::optional<opencode::TurnError> error_;
    std::optional<Ending> ending_;
    DrivenSession session_;
    Lifetime alive_;
};

}  // namespace parley
