// SPDX-License-Identifier: Apache-2.0
#include "app/serve/notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <string>

#include "app/limits.h"
#include "base/log.h"
#include "broker/broker_fixture.h"
#include "client/local_link.h"
#include "core/json_fields.h"
#include "support/idle_link.h"
#include "text/json.h"

namespace parley::app {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A broker in simulated time, and a program that ends when the test says so.
class NotifierTest : public BrokerTest {
protected:
    void start(NotifySettings settings = {.command = {"tell"}}) {
        start_over(std::make_unique<LocalLink>(
                       LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_),
                   std::move(settings));
    }
    void start_over(std::unique_ptr<Link> link, NotifySettings settings) {
        link_ = std::move(link);
        notifier_ = std::make_unique<Notifier>(
            Notifier::Wiring{
                .link = *link_,
                .home = process_->home,
                .clock = clock_,
                .told = told_,
                .address = [](AskId id) { return "http://page/#/ask/" + id.str(); },
                .run =
                    [this](net::ProgramRun run, Notifier::Ended ended) {
                        events_.push_back(text(run.input, "event"));
                        runs_.push_back(std::move(run));
                        running_.push_back(std::move(ended));
                    },
                .claim = [this](std::string_view event, AskId,
                                auto done) { done(!others_.contains(std::string(event))); }},
            std::move(settings));
        notifier_->start();
        process_->settle_down();
    }

    static std::string text(const std::string& document, std::string_view name) {
        const auto value = json::parse(document);
        return value ? json::text_field(*value, name) : "";
    }
    void end_one(Result<net::ProgramEnd> end = net::ProgramEnd{}) {
        Notifier::Ended ended = std::move(running_.front());
        running_.erase(running_.begin());
        ended(std::move(end));
    }
    void end_all() {
        while (!running_.empty()) end_one();
    }
    std::string log() const {
        std::string written(64 * limits::kKiB, '\0');
        const ssize_t got = ::pread(::fileno(file_.get()), written.data(), written.size(), 0);
        return written.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), std::fclose};
    Log log_{clock_, {.descriptor = ::fileno(file_.get())}};
    ServerLog told_{log_};
    std::set<std::string> others_;  // events that another node tells of
    std::vector<std::string> events_;
    std::vector<net::ProgramRun> runs_;
    std::vector<Notifier::Ended> running_;
    std::unique_ptr<Link> link_;
    std::unique_ptr<Notifier> notifier_;
};

TEST_F(NotifierTest, TellsWhatOpensAndWhatIsSettled) {
    start({.command = {"tell", "--loud"}, .environment = {"PATH=/bin"}});
    const AskPtr asked = open({spec(), "chat"});
    ASSERT_THAT(events_, ElementsAre("opened"));
    EXPECT_THAT(runs_[0].argv, ElementsAre("tell", "--loud"));
    EXPECT_EQ(text(runs_[0].input, "title"), "Drink: Tea or coffee?");
    EXPECT_EQ(text(runs_[0].input, "link"), "http://page/#/ask/" + asked->id.str());
    EXPECT_THAT(runs_[0].input, HasSubstr(R"("state":"pending")"));
    EXPECT_THAT(runs_[0].environment, Contains("PATH=/bin"));
    EXPECT_THAT(runs_[0].environment, Contains("PARLEY_EVENT=opened"));
    EXPECT_THAT(runs_[0].environment, Contains("PARLEY_TITLE=Drink: Tea or coffee?"));
    end_all();
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    ASSERT_THAT(events_, ElementsAre("opened", "settled"));
    EXPECT_THAT(text(runs_[1].input, "outcome"), StartsWith("answered by ada"));
}

TEST_F(NotifierTest, WhatAnotherNodeTellsIsNotTold) {
    others_ = {"opened"};
    start();
    const AskPtr asked = open({spec(), "chat"});
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    EXPECT_THAT(events_, ElementsAre("settled"));
}

// A run that opens something in the person's face is over before the one that closes it.
TEST_F(NotifierTest, RunsOfOneAskKeepTheirOrder) {
    start();
    const AskPtr asked = open({spec(), "chat"});
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    EXPECT_THAT(events_, ElementsAre("opened"));
    open({spec("Another?"), "chat"});
    EXPECT_THAT(events_, ElementsAre("opened", "opened"));
    end_one();
    EXPECT_THAT(events_, ElementsAre("opened", "opened", "settled"));
}

TEST_F(NotifierTest, TellsOnceOfWhatWaitsLong) {
    start({.command = {"tell"}, .after = 60s});
    const AskPtr first = open({spec("First?"), "chat"});
    pass(30s);
    open({spec("Second?"), "chat"});
    end_all();
    ASSERT_TRUE(answer(first->id, "Tea", ada_));
    end_all();
    pass(40s);
    EXPECT_THAT(events_, ElementsAre("opened", "opened", "settled"));
    pass(60s);
    end_all();
    pass(600s);
    EXPECT_THAT(events_, ElementsAre("opened", "opened", "settled", "waiting"));
}

// The one before may have been gone when its time came.
TEST_F(NotifierTest, TellsAfterARestartOfWhatHasWaitedLong) {
    open({spec(), "chat"});
    pass(120s);
    start({.command = {"tell"}, .after = 60s});
    pass(1s);
    EXPECT_THAT(events_, ElementsAre("waiting"));
}

// Its listener is told what the test says.
class TellingLink final : public IdleLink {
public:
    explicit TellingLink(FollowListener*& listener) : listener_(listener) {}
    std::unique_ptr<Following> follow(FollowRequest, FollowListener& listener) override {
        listener_ = &listener;
        return nullptr;
    }

private:
    FollowListener*& listener_;
};

// What was settled while the link could not tell it is not in the snapshot that follows.
TEST_F(NotifierTest, AfterAResetOnlyWhatIsListedWaits) {
    FollowListener* listener = nullptr;
    start_over(std::make_unique<TellingLink>(listener), {.command = {"tell"}, .after = 60s});
    const AskPtr told = open({spec("Told?"), "chat"});
    listener->on_frames(std::vector<Frame>{SnapshotAsk{told}, SnapshotEnd{}});
    pass(61s);
    end_all();
    ASSERT_THAT(events_, ElementsAre("waiting"));
    const AskPtr settled = open({spec("Settled?"), "chat"});
    const AskPtr left = open({spec("Left?"), "chat"});
    auto opened = std::make_shared<Event>();
    opened->body = AskOpened{settled};
    listener->on_frames(std::vector<Frame>{EventPtr(std::move(opened))});
    end_all();
    listener->on_frames(
        std::vector<Frame>{Reset{}, SnapshotAsk{told}, SnapshotAsk{left}, SnapshotEnd{}});
    pass(120s);
    end_all();
    EXPECT_THAT(events_, ElementsAre("waiting", "opened", "waiting"));
    EXPECT_THAT(runs_.back().environment, Contains("PARLEY_TITLE=Drink: Left?"));
}

TEST_F(NotifierTest, RunsFewAtOnceAndCountsWhatFindsNoRoom) {
    start();
    const std::size_t room = limits::kNotifyRunning + limits::kNotifyQueued;
    for (std::size_t i = 0; i < room + 3; ++i) open({spec(fmt::format("Number {}?", i)), "chat"});
    EXPECT_EQ(running_.size(), limits::kNotifyRunning);
    EXPECT_THAT(log(), HasSubstr("notify-dropped count=1"));
    end_all();
    EXPECT_EQ(events_.size(), room);
    EXPECT_THAT(log(), HasSubstr("notify-dropped count=3"));
}

TEST_F(NotifierTest, FailuresAreLoggedWithWhatTheProgramSaid) {
    start();
    const AskPtr asked = open({spec(), "chat"});
    end_one(net::ProgramEnd{.status = {.code = 3}, .complaint = "no display"});
    EXPECT_THAT(log(), HasSubstr("notify-failed"));
    EXPECT_THAT(log(), HasSubstr("exit status 3: no display"));
    ASSERT_TRUE(answer(asked->id, "Tea", ada_));
    end_one(net::ProgramEnd{.status = {.code = 0, .signal = 15}, .is_late = true});
    EXPECT_THAT(log(), HasSubstr("it took longer than 10 s and was stopped"));
    open({spec("Third?"), "chat"});
    end_one(reject(ErrorCode::not_found, "cannot run tell"));
    EXPECT_THAT(log(), HasSubstr("cannot run tell"));
}

}  // namespace
}  // namespace parley::app
