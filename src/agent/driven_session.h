// SPDX-License-Identifier: Apache-2.0
// The broker's side of a session whose agent is driven: it is opened and followed, its stream goes
// there in order, and what people say, with what was answered too late for a call, is kept until
// the agent waits for words. Which program that is, its owner knows. Lives on the loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/driver.h"
#include "agent/late_answers.h"
#include "agent/look_back.h"
#include "agent/stream_pusher.h"
#include "base/lifetime.h"
#include "client/link.h"
#include "net/loop.h"

namespace parley {

class DrivenSession final : private FollowListener {
public:
    struct Options {
        std::string session;  // its name
        std::string agent;    // the name on asks that the driver asks
        std::string called;   // what people call the agent
        std::string title = {};
        std::string folder = {};  // where the agent works
        bool is_resumed = false;
        // Ends only when the onlooker has been shown all frames of the last turn.
        bool shows_all_frames = false;
    };
    // What runs the turns.
    class Program {
    public:
        virtual ~Program() = default;
        // The session is open. `own_name` is what the agent called it when it ran last.
        virtual void session_opened(std::optional<std::string> own_name) = 0;
        // It waits for words, and no turn runs.
        virtual bool is_ready() const = 0;
        // What it is told next; begins a turn.
        virtual void give(std::vector<std::string> texts) = 0;
        // Somebody stopped the turn.
        virtual void turn_stopped() = 0;
        virtual void session_ended(std::string why) = 0;
    };

    // As open() opens it, for who needs the session before the agent.
    static SessionRequest request(const Options& options);

    DrivenSession(net::Loop& loop, Link& link, Options options, Program& program,
                  Driver::Onlooker& onlooker, Driver::Finished finished);
    ~DrivenSession() override;

    void open();
    void call_agent(std::string called) { options_.called = std::move(called); }
    const std::string& called() const { return options_.called; }
    // The agent's own name of this session, kept in its log for the next run.
    void keep_own_name(std::string_view name);

    void say(std::string text);
    // The agent is told this with what it is given next, and people are told that.
    void say_next(std::string words);
    // Gives what waits, if the program is ready.
    void deliver();
    bool has_words() const;

    void show(std::vector<StreamItem> items);
    void begin_turn();
    void end_turn();
    bool is_turn_running() const { return is_turn_running_; }
    // Stops the turn through the broker, so that everybody is told.
    void abort();

    void tell(NoticeGiven notice);
    void warn(const std::string& text);
    // All that is pushed arrives before its end is told; a broker that is away is not waited for.
    void conclude(Driver::Ending ending);

private:
    // FollowListener
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State state, const std::optional<Error>& why) override;

    void opened(const Result<SessionPtr>& session);
    void look_back();
    void drop_orphans(std::optional<std::string> own_name);
    void on_event(const Event& event);
    void fetch_messages();
    void queue(MessageId id, std::string text);
    void push_finish();
    void wind_up();
    void finish();

    net::Loop& loop_;
    Link& link_;
    Options options_;
    Program& program_;
    Driver::Onlooker& onlooker_;
    Driver::Finished finished_;
    StreamPusher pusher_;
    LateAnswers late_;
    std::unique_ptr<Following> following_;
    std::unique_ptr<LookBack> look_back_;        // while it reads
    std::map<MessageId, std::string> messages_;  // not yet given
    std::vector<std::string> words_;             // of settlements, not yet given
    MessageId last_given_;
    SessionId session_;
    bool has_fetched_ = false;  // what was said before we listened
    bool is_turn_running_ = false;
    int turns_begun_ = 0;
    int turns_seen_ = 0;  // of these, in what the broker tells
    int finishes_pushed_ = 0;
    int finishes_seen_ = 0;  // of these, in what the broker tells
    std::optional<Driver::Ending> ending_;
    bool is_wound_up_ = false;
    Lifetime alive_;
};

}  // namespace parley
