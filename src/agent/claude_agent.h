// SPDX-License-Identifier: Apache-2.0
// Claude Code as the agent of a session: drives its CLI over the standard streams, asks what it
// wants decided, hands it what people say from any door, and shows all of it as the session's
// stream. Lives on the loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/claude_asks.h"
#include "agent/driver.h"
#include "agent/late_answers.h"
#include "agent/line_process.h"
#include "agent/look_back.h"
#include "agent/stream_pusher.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "dialect/claude/stream.h"
#include "net/child.h"
#include "net/loop.h"

namespace parley {

class ClaudeAgent final : public Driver,
                          private LineProcess::Listener,
                          private ClaudeAsks::Listener,
                          private FollowListener {
public:
    struct Options {
        net::ChildOptions command;  // the CLI and how it is started
        std::string session;        // Claude's own id of it
        std::string title = {};
        std::optional<std::string> prompt = {};
        bool is_resumed = false;
        bool ends_with_turn = false;
        std::optional<Millis> timeout = {};  // of the asks
        bool interrupts_on_dismiss = false;
        // Ends only when the viewer has been shown all frames of the last turn.
        bool shows_all_frames = false;
    };

    // As start() opens it, for who needs the session before the agent.
    static SessionRequest session_request(const Options& options);

    ClaudeAgent(net::Loop& loop, Link& link, Options options, Onlooker& onlooker,
                Finished finished);
    ~ClaudeAgent() override;

    void start() override;
    void say(std::string text) override;
    bool interrupt() override;
    void quit() override;

private:
    // `starting` until the CLI has answered our first line, `running` while it may be given
    // messages, `closing` when its input is closed and it ends by itself, `quitting` when it was
    // told to end, `wound_up` when all is said and only frames may still be awaited.
    enum class Life : std::uint8_t { starting, running, closing, quitting, wound_up };
    // `interrupted`: it still runs, and its end will not be Claude's own.
    enum class Turn : std::uint8_t { none, running, interrupted };

    // LineProcess::Listener
    bool on_line(const std::string& line) override;
    void on_exit(net::ExitStatus status, std::vector<std::string> words) override;
    // ClaudeAsks::Listener
    void reply(std::string line) override;
    void asked(const AskRequest& request) override { onlooker_.show_asked(request); }
    void answered(const std::string& call_id, std::string output) override;
    void closed() override;
    void turn_stopped() override { send_interrupt(); }
    void interrupting() override;
    void trouble(const std::string& text) override;
    // FollowListener
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State state, const std::optional<Error>& why) override;

    void opened(const Result<SessionPtr>& session);
    void launch();
    void on_event(const Event& event);
    void fetch_messages();
    void queue(MessageId id, std::string text);
    void deliver();
    void look_back();
    void give_late(std::span<const AskPtr> asks);
    void take(claude::CliLine line);
    void begin_turn();
    void end_turn(const claude::TurnEnded& ended);
    void send_interrupt();
    void drop_orphans();
    void tell(NoticeGiven notice);
    void push_finish();
    void conclude(Ending ending);
    void wind_up();
    void finish(Ending ending);

    net::Loop& loop_;
    Link& link_;
    Options options_;
    Onlooker& onlooker_;
    Finished finished_;
    StreamPusher pusher_;
    ClaudeAsks asks_;
    claude::StreamReader reader_;
    LateAnswers late_{ClaudeAsks::kAgent};
    std::unique_ptr<LineProcess> process_;
    std::unique_ptr<Following> following_;
    std::map<MessageId, std::string> messages_;  // not yet given to the CLI
    MessageId last_given_;
    SessionId session_;
    Life life_ = Life::starting;
    Turn turn_ = Turn::none;
    bool has_fetched_ = false;             // what was said before we listened
    std::unique_ptr<LookBack> look_back_;  // while it reads
    int turns_begun_ = 0;
    int turns_seen_ = 0;  // of these, in what the broker tells
    int finishes_pushed_ = 0;
    int finishes_seen_ = 0;  // of these, in what the broker tells
    std::optional<claude::TurnEnded> last_turn_;
    std::optional<Ending> ending_;
    Lifetime alive_;
};

}  // namespace parley
