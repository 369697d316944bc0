// SPDX-License-Identifier: Apache-2.0
// A driver whose program is a child that is spoken to in lines: its life, from its start to its end
// with its last words, and what a turn's end means for it. What the lines say, who derives from it
// knows. Lives on the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/driven_session.h"
#include "agent/driver.h"
#include "agent/line_process.h"

namespace parley {

class LineDriver : public Driver,
                   protected LineProcess::Listener,
                   protected DrivenSession::Program {
public:
    struct Wiring {
        net::Loop& loop;
        Link& link;
        Onlooker& onlooker;
        Finished finished;
    };

    ~LineDriver() override;

    void start() override { session_.open(); }
    void say(std::string text) override { session_.say(std::move(text)); }
    Interruption interrupt() override { return session_.interrupt(); }
    void quit() override;

protected:
    // `starting` until it has a session, `running` while it may be given messages, `closing` when
    // its input is closed, `quitting` when it was told to end.
    enum class Life : std::uint8_t { starting, running, closing, quitting };
    // Why there is no program to drive.
    enum class Fault : std::uint8_t { not_started, ended_at_once };

    struct Habits {
        bool ends_with_turn = false;   // the run, once nothing waits to be said
        bool ends_with_input = false;  // the program, once it has done all; it is not hurried
    };

    LineDriver(Wiring wiring, DrivenSession::Options session, Habits habits);

    // False: it could not be, and that is told.
    bool launch(net::ChildOptions command);
    void send(std::string line);
    // It has a session, and may be given what waits.
    void began();
    // After session().end_turn().
    void turn_over(Ending ending);
    void fail(std::string why);

    // What follows the message; "" if nothing helps.
    virtual std::string advice(Fault) const { return {}; }
    // The program is over: ends what its stream has left open.
    virtual std::vector<StreamItem> end_stream() = 0;
    // Takes back what it asked; `done` in any case.
    virtual void close_asks(const std::string& why, Task done) = 0;

    bool is_ready() const override { return life_ == Life::running; }
    void session_ended(std::string why) override;

    Life life() const { return life_; }
    net::Loop& loop() { return loop_; }
    Onlooker& onlooker() { return onlooker_; }
    DrivenSession& session() { return session_; }
    const DrivenSession& session() const { return session_; }

private:
    void on_exit(net::ExitStatus status, std::vector<std::string> words) override;
    void close();
    void stop();
    void conclude(Ending ending);

    net::Loop& loop_;
    Onlooker& onlooker_;
    Habits habits_;
    Life life_ = Life::starting;
    std::optional<Ending> ending_;
    bool is_stopped_ = false;  // the program, by us
    std::unique_ptr<LineProcess> process_;
    DrivenSession session_;
    Lifetime alive_;
};

}  // namespace parley
