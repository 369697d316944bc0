// SPDX-License-Identifier: Apache-2.0
// The broker's side of a session whose agent is driven: it is opened and followed, its stream goes
// there in order, and what people say, with what was answered too late for a call, is kept until
// the agent waits for words, and counts as given when the agent says that it has them. Which
// program that is, its owner knows. Lives on its link's executor.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/driver.h"
#include "agent/late_answers.h"
#include "agent/look_back.h"
#include "agent/own_names.h"
#include "agent/session_messages.h"
#include "agent/stream_pusher.h"
#include "base/executor.h"
#include "base/lifetime.h"
#include "base/unique_function.h"
#include "client/link.h"
#include "client/withdrawals.h"

namespace parley {

class DrivenSession final : private FollowListener, private SessionMessages::Listener {
public:
    using Wiring = SessionMessages::Wiring;
    struct Options {
        std::string session;  // its name
        std::string agent;    // the name on asks that the driver asks
        std::string called;   // what people call the agent
        std::string title = {};
        std::string folder = {};           // where the agent works
        std::filesystem::path names = {};  // where its own names of sessions are kept (OwnNames)
        bool is_open = false;              // it is there already, and `session` is its id
        bool is_resumed = false;
        // When it is resumed, it asks again what was open: the rest leads nowhere once its first
        // turn is over.
        bool asks_again = false;
        // Who runs the agent's calls: a driver that does tells itself what comes of them.
        LateAnswers::Calls calls = LateAnswers::Calls::agents;
        // It can be told something while it works.
        bool takes_words_in_turn = false;
        OnDismiss on_dismiss = OnDismiss::tell;
        MessageId given_before = {};  // messages up to this one it knows from earlier runs
        // Ends only when the onlooker has been shown all frames of the last turn.
        bool shows_all_frames = false;
    };
    // What runs the turns.
    class Program {
    public:
        virtual ~Program() = default;
        // The session is open. `own_name` is what the agent called it when it ran last.
        virtual void session_opened(std::optional<std::string> own_name) = 0;
        // It takes words now.
        virtual bool is_ready() const = 0;
        // Whether the answer to this ask still reaches it.
        virtual bool awaits(const AskId&) const { return false; }
        // What it is told next; begins a turn if none runs. `has_them` is called when the agent
        // says that it has them, by whatever it answers; until then they wait at the broker for who
        // comes after a crash.
        virtual void give(std::vector<std::string> texts, Task has_them) = 0;
        // Somebody stopped the turn.
        virtual void turn_stopped() = 0;
        virtual void session_ended(std::string why) = 0;
    };

    // As open() opens it, for who needs the session before the agent.
    static SessionRequest request(const Options& options);

    DrivenSession(Wiring wiring, Options options, Program& program, Driver::Onlooker& onlooker,
                  Driver::Finished finished);
    ~DrivenSession() override;

    void open();
    void call_agent(std::string called) { options_.called = std::move(called); }
    const std::string& called() const { return options_.called; }
    // The agent's own name of this session, kept for the next run.
    void keep_own_name(std::string_view name);
    // Since when it had the name that session_opened() was told.
    std::optional<Instant> named_since() const { return named_since_; }

    void say(std::string text) { messages_.say(std::move(text)); }
    // The agent is told this with what it is given next, and people are told that.
    void say_next(std::string words);
    // A person answered what the agent had just taken back: people are told, and the agent is with
    // what it is given next, in its next run at the latest.
    void missed(const AskPtr& ask);
    // Gives what waits, if the program is ready.
    void deliver();
    // Something waits to be given, or is on its way here.
    bool has_words() const { return messages_.is_any() || !words_.empty(); }
    // Messages up to this one are in what it was given last.
    MessageId last_given() const { return messages_.last_given(); }

    void show(std::vector<StreamItem> items);
    void begin_turn();
    void end_turn();
    bool is_turn_running() const { return is_turn_running_; }
    // Stops the turn through the broker, so that everybody is told; the program is told at once, in
    // case the broker is away.
    Driver::Interruption interrupt();

    void tell(NoticeGiven notice);
    void warn(const std::string& text);
    // Takes back what the agent had asked, and runs the task once that is done.
    using Closing = UniqueFunction<void(Task)>;
    // All that is pushed or taken back arrives before its end is told; a broker that is away is not
    // waited for.
    void conclude(Driver::Ending ending, Closing closing = [](Task done) { done(); });

private:
    // FollowListener
    void on_frames(std::span<const Frame> frames) override;
    void on_state(State state, const std::optional<Error>& why) override;
    // SessionMessages::Listener
    void messages_known() override { deliver(); }
    void messages_troubled(const std::string& why) override { warn(why); }

    void opened(const Result<SessionPtr>& session);
    void look_back();
    void drop_orphans(Task done);
    void on_event(const Event& event);
    bool can_give() const;
    void has(std::span<const AskPtr> late, MessageId up_to);
    void push_finish();
    void wind_up();
    void finish();

    Wiring wiring_;
    Link& link_;
    Options options_;
    Program& program_;
    Driver::Onlooker& onlooker_;
    Driver::Finished finished_;
    OwnNames names_;
    std::optional<Instant> named_since_;
    StreamPusher pusher_;
    SessionMessages messages_;
    LateAnswers late_;
    Withdrawals orphans_;
    std::unique_ptr<Following> following_;
    std::unique_ptr<LookBack> look_back_;  // while it reads
    std::vector<std::string> words_;       // of settlements, not yet given
    SessionId session_;
    bool is_turn_running_ = false;
    bool is_interrupted_ = false;  // this turn, from nearby
    int turns_begun_ = 0;
    int turns_seen_ = 0;  // of these, in what the broker tells
    bool is_seen_working_ = false;
    int finishes_pushed_ = 0;
    int finishes_seen_ = 0;  // of these, in what the broker tells
    std::optional<Driver::Ending> ending_;
    bool is_wound_up_ = false;
    Lifetime alive_;
};

}  // namespace parley
