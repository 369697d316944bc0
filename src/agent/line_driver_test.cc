// SPDX-License-Identifier: Apache-2.0
// A child that speaks in lines, as the agent of a session: real shells on a real loop, over a
// broker that lives there too.
#include "agent/line_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "agent/quiet_onlooker.h"
#include "client/local_link.h"
#include "store/memory_engine.h"

namespace parley {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Driver::Ending::Kind;

// It says "ready" when it may be given words, "has" when it has them, and "done WORDS" at the end
// of a turn. Whatever else it says is meant for people.
class ShellAgent final : public LineDriver {
public:
    ShellAgent(Wiring wiring, std::vector<std::string> argv, bool ends_with_turn)
        : LineDriver(std::move(wiring),
                     {.session = "talk", .agent = "shell", .called = "The shell"},
                     {.ends_with_turn = ends_with_turn}),
          argv_(std::move(argv)) {}

    std::vector<std::string> given;
    std::vector<std::string> closed_because;
    int stops = 0;
    std::function<void()> turn_begun = [] {};

private:
    bool on_line(const std::string& line) override {
        if (line == "ready") {
            began();
        } else if (line == "has") {
            std::exchange(has_them_, nullptr)();
        } else if (line.starts_with("done ")) {
            session().end_turn();
            turn_over({.kind = Kind::done, .result = line.substr(5)});
        } else {
            return false;
        }
        return true;
    }
    std::string advice(Fault fault) const override {
        return fault == Fault::not_started ? "; install it" : "; update it";
    }
    std::vector<StreamItem> end_stream() override { return {}; }
    void close_asks(const std::string& why, Task done) override {
        closed_because.push_back(why);
        done();
    }
    void session_opened(std::optional<std::string>) override { (void)launch({.argv = argv_}); }
    void give(std::vector<std::string> texts, Task has_them) override {
        given.insert(given.end(), texts.begin(), texts.end());
        has_them_ = std::move(has_them);
        for (const std::string& text : texts) send(text + "\n");
        turn_begun();
    }
    void turn_stopped() override { ++stops; }

    std::vector<std::string> argv_;
    Task has_them_;
};

class LineDriverTest : public testing::Test {
protected:
    LineDriverTest() {
        broker_.start([this](const Result<void>& started) {
            EXPECT_TRUE(started);
            loop_.stop();
        });
        loop_.run();
    }

    ShellAgent& start(std::vector<std::string> argv, bool ends_with_turn = true) {
        agent_ = std::make_unique<ShellAgent>(LineDriver::Wiring{loop_, link_, onlooker_,
                                                                 [this](Driver::Ending ending) {
                                                                     ending_ = std::move(ending);
                                                                     loop_.stop();
                                                                 }},
                                              std::move(argv), ends_with_turn);
        agent_->start();
        return *agent_;
    }
    ShellAgent& start_script(std::string script, bool ends_with_turn = true) {
        return start({"/bin/sh", "-c", std::move(script)}, ends_with_turn);
    }
    const Driver::Ending& run() {
        if (!ending_) loop_.run();
        return *ending_;
    }
    std::size_t queued() {
        std::size_t count = 0;
        link_.list_messages("talk", [&](const Result<std::vector<QueuedText>>& messages) {
            count = messages->size();
            loop_.stop();
        });
        loop_.run();
        return count;
    }

    net::Loop loop_;
    Store store_{std::make_unique<MemoryEngine>(loop_.clock()), {loop_, loop_, loop_.clock()}};
    LoopBroker broker_{{loop_, loop_.clock(), store_,
                        [random = std::mt19937_64(1)]() mutable { return random(); }}};
    LocalLink link_{{loop_, loop_.clock(), broker_}, unrestricted_actor("ada", "test")};
    QuietOnlooker onlooker_;
    std::optional<Driver::Ending> ending_;
    std::unique_ptr<ShellAgent> agent_;
};

TEST_F(LineDriverTest, IsGivenWhatWaitsAndEndsWithItsTurn) {
    ShellAgent& agent =
        start_script("echo ready; read said; echo has; echo \"done $said\"; cat > /dev/null");
    agent.say("tidy up");
    EXPECT_EQ(run().kind, Kind::done);
    EXPECT_EQ(ending_->result, "tidy up");
    EXPECT_THAT(agent.given, ElementsAre("tidy up"));
    EXPECT_THAT(agent.closed_because, ElementsAre("The shell has ended"));
    EXPECT_EQ(queued(), 0U);
}

TEST_F(LineDriverTest, AMessageThatItDiesWithWaitsForTheNextRun) {
    ShellAgent& agent = start_script("echo ready; read said; kill -9 $$");
    agent.say("tidy up");
    EXPECT_EQ(run().kind, Kind::failed);
    EXPECT_EQ(queued(), 1U);
    ending_.reset();
    ShellAgent& next =
        start_script("echo ready; read said; echo has; echo \"done $said\"; cat > /dev/null");
    EXPECT_EQ(run().result, "tidy up");
    EXPECT_THAT(next.given, ElementsAre("tidy up"));
    EXPECT_EQ(queued(), 0U);
}

TEST_F(LineDriverTest, AnEndThatNobodyExpectsComesWithItsLastWords) {
    start_script("echo ready; echo 'no more paper'; exit 3");
    EXPECT_EQ(run().kind, Kind::failed);
    EXPECT_EQ(ending_->why, "The shell ended unexpectedly (exit status 3):\nno more paper");
    EXPECT_THAT(onlooker_.notices, Contains(ending_->why));
}

TEST_F(LineDriverTest, OneThatNeverBeginsIsAdvised) {
    start_script("exit 1");
    EXPECT_THAT(run().why, HasSubstr("exit status 1"));
    EXPECT_THAT(ending_->why, HasSubstr("; update it"));
    ending_.reset();
    start({"/nonexistent/agent"});
    EXPECT_EQ(run().kind, Kind::failed);
    EXPECT_THAT(ending_->why, HasSubstr("; install it"));
}

TEST_F(LineDriverTest, OneThatIsKilledAfterItsTurnHasNotDoneAll) {
    ShellAgent& agent = start_script(
        "echo ready; read said; echo has; echo 'done it'; cat > /dev/null; kill -9 $$");
    agent.say("go");
    EXPECT_EQ(run().kind, Kind::failed);
    EXPECT_THAT(ending_->why, HasSubstr("signal 9"));
}

TEST_F(LineDriverTest, ATurnIsStoppedAndAProgramThatIsQuitEnds) {
    ShellAgent& agent = start_script("echo ready; cat > /dev/null", false);
    EXPECT_EQ(agent.interrupt(), Driver::Interruption::no_turn);
    agent.turn_begun = [this] { loop_.stop(); };
    agent.say("go");
    loop_.run();
    EXPECT_EQ(agent.interrupt(), Driver::Interruption::stopped);
    EXPECT_EQ(agent.stops, 1);
    agent.quit();
    EXPECT_EQ(run().kind, Kind::stopped);
}

TEST_F(LineDriverTest, ASessionThatIsEndedEndsItsProgramAndSaysWhy) {
    ShellAgent& agent = start_script("echo ready; cat > /dev/null", false);
    agent.turn_begun = [this] {
        link_.end_session("talk", "enough", [](const Result<SessionPtr>&) {});
    };
    agent.say("go");
    EXPECT_EQ(run().kind, Kind::session_ended);
    EXPECT_EQ(ending_->why, "the session was ended: enough");
}

TEST_F(LineDriverTest, BetweenTurnsItWaitsForWords) {
    ShellAgent& agent =
        start_script("echo ready; while read said; do echo has; echo \"done $said\"; done", false);
    onlooker_.went_idle = [&] {
        if (agent.given.size() == 2) return agent.quit();
        agent.say("two");
    };
    agent.say("one");
    EXPECT_EQ(run().kind, Kind::stopped);
    EXPECT_THAT(agent.given, ElementsAre("one", "two"));
}

}  // namespace
}  // namespace parley
