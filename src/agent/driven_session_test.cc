// SPDX-License-Identifier: Apache-2.0
// A driven session over a real broker in simulated time: what people say and what was answered late
// is given, and counts as given when the agent has it, whatever becomes of broker and process.
#include "agent/driven_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "agent/quiet_onlooker.h"
#include "broker/broker_fixture.h"
#include "client/limits.h"
#include "client/local_link.h"
#include "net/test_support.h"
#include "support/idle_link.h"

namespace parley {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A broker that may be away; one that goes in the middle of a call has done it and cannot say so.
class AwayLink final : public IdleLink {
public:
    explicit AwayLink(Link& link) : link_(link) {}

    enum class Broker : std::uint8_t { there, away, goes };
    Broker broker = Broker::there;

    void list_asks(AskListing listing, Done<AskPage> done) override {
        if (!lost(done)) link_.list_asks(listing, std::move(done));
    }
    void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) override {
        if (!lost(done)) link_.withdraw(id, std::move(reason), std::move(done));
    }
    void open_session(SessionRequest request, Done<SessionPtr> done) override {
        if (!lost(done)) link_.open_session(std::move(request), std::move(done));
    }
    void abort(std::string_view ref, Done<SessionPtr> done) override {
        if (!lost(done)) link_.abort(ref, std::move(done));
    }
    void list_log(std::string_view ref, std::optional<Cursor> before,
                  Done<SessionLog> done) override {
        if (!lost(done)) link_.list_log(ref, before, std::move(done));
    }
    void push(std::string_view ref, std::vector<StreamItem> items, Done<void> done) override {
        if (!lost(done)) link_.push(ref, std::move(items), std::move(done));
    }
    void take_messages(std::string_view ref, MessageId up_to, Done<void> done) override {
        if (!lost(done)) link_.take_messages(ref, up_to, std::move(done));
    }
    void list_messages(std::string_view ref, Done<std::vector<QueuedText>> done) override {
        if (!lost(done)) link_.list_messages(ref, std::move(done));
    }
    void say(std::string_view ref, std::string text, Done<Said> done) override {
        if (broker == Broker::goes) link_.say(ref, text, [](const Result<Said>&) {});
        if (!lost(done)) link_.say(ref, std::move(text), std::move(done));
    }
    void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) override {
        if (!lost(done)) link_.give_notice(ref, std::move(notice), std::move(done));
    }
    std::unique_ptr<Following> follow(FollowRequest request, FollowListener& listener) override {
        return link_.follow(std::move(request), listener);
    }

private:
    template <class Value>
    bool lost(Done<Value>& done) {
        if (broker == Broker::there) return false;
        broker = Broker::away;
        done(reject(ErrorCode::unavailable, "the broker is away"));
        return true;
    }

    Link& link_;
};

using Broker = AwayLink::Broker;
using Kind = Driver::Ending::Kind;

// A program that is always ready for words, and has them when the test says so.
class DrivenSessionTest : public BrokerTest, public DrivenSession::Program {
public:
    ~DrivenSessionTest() override { std::filesystem::remove_all(names_); }

protected:
    DrivenSessionTest()
        : link_(LocalLink::Wiring{process_->home, clock_, process_->broker}, ada_), away_(link_) {
        std::filesystem::create_directories(names_);
    }

    // DrivenSession::Program
    void session_opened(std::optional<std::string> own_name) override {
        is_opened_ = true;
        own_name_ = std::move(own_name);
    }
    bool is_ready() const override { return is_ready_; }
    void give(std::vector<std::string> texts, Task has_them) override {
        given_.insert(given_.end(), texts.begin(), texts.end());
        has_them_ = std::move(has_them);
    }
    void turn_stopped() override { ++stops_; }
    void session_ended(std::string why) override { ended_ = std::move(why); }

    DrivenSession::Options options(bool is_resumed = false) {
        return {.session = "talk",
                .agent = "codex",
                .called = "Codex",
                .title = "Codex in shop",
                .names = names_,
                .is_resumed = is_resumed};
    }
    void start(DrivenSession::Options options) {
        given_.clear();
        has_them_ = nullptr;
        session_ = std::make_unique<DrivenSession>(
            DrivenSession::Wiring{process_->home, clock_, away_}, std::move(options), *this,
            onlooker_, [this](Driver::Ending ending) { ending_ = std::move(ending); });
        session_->open();
        process_->settle_down();
    }
    void start() { start(options()); }
    // Another process takes the session up; this one has said nothing more.
    void crash_and_resume() {
        session_.reset();
        away_.broker = Broker::there;
        start(options(true));
    }
    void people_say(std::string text) {
        broker().say("talk", std::move(text), ada_,
                     [](const Result<Said>& said) { ASSERT_TRUE(said); });
        process_->settle_down();
    }
    void agent_has_them() {
        ASSERT_TRUE(has_them_);
        std::exchange(has_them_, nullptr)();
        process_->settle_down();
    }
    void end_turn() {
        session_->end_turn();
        session_->deliver();
        process_->settle_down();
    }
    std::vector<std::string> queued() {
        std::vector<std::string> texts;
        link_.list_messages("talk", [&](const Result<std::vector<QueuedText>>& messages) {
            for (const QueuedText& message : *messages) texts.push_back(message.text);
        });
        process_->settle_down();
        return texts;
    }
    // Asked through one of Parley's own ways in; the call waits no longer.
    AskPtr left_open() {
        AskSpec asked = spec();
        asked.agent = "codex-mcp-client";
        return open({.spec = std::move(asked), .session = "talk"});
    }
    void conclude(Driver::Ending ending) {
        session_->conclude(std::move(ending));
        process_->settle_down();
    }

    const std::filesystem::path names_ = net::testing::temporary_path("names");
    LocalLink link_;
    AwayLink away_;
    QuietOnlooker onlooker_;
    bool is_opened_ = false;
    bool is_ready_ = true;
    std::optional<std::string> own_name_;
    std::vector<std::string> given_;
    Task has_them_;
    int stops_ = 0;
    std::string ended_;
    std::optional<Driver::Ending> ending_;
    std::unique_ptr<DrivenSession> session_;
};

TEST_F(DrivenSessionTest, AMessageIsTakenWhenTheAgentHasIt) {
    start();
    people_say("go");
    EXPECT_THAT(given_, ElementsAre("go"));
    EXPECT_TRUE(session_->is_turn_running());
    EXPECT_THAT(queued(), ElementsAre("go"));
    agent_has_them();
    EXPECT_THAT(queued(), IsEmpty());
}

TEST_F(DrivenSessionTest, WhatTheAgentNeverSaidThatItHasIsGivenToTheNextRun) {
    start();
    people_say("go");
    people_say("on");
    crash_and_resume();
    EXPECT_THAT(given_, ElementsAre("go", "on"));
    agent_has_them();
    crash_and_resume();
    EXPECT_THAT(given_, IsEmpty());
}

TEST_F(DrivenSessionTest, MessagesWaitForTheEndOfATurnAndForAProgramThatIsReady) {
    start();
    people_say("one");
    people_say("two");
    EXPECT_THAT(given_, ElementsAre("one"));
    EXPECT_TRUE(session_->has_words());
    agent_has_them();
    EXPECT_THAT(queued(), ElementsAre("two"));
    is_ready_ = false;
    end_turn();
    EXPECT_THAT(given_, ElementsAre("one"));
    is_ready_ = true;
    session_->deliver();
    EXPECT_THAT(given_, ElementsAre("one", "two"));
    EXPECT_FALSE(session_->has_words());
}

TEST_F(DrivenSessionTest, ABrokerThatWasAwayLearnsLaterWhatTheAgentHas) {
    start();
    people_say("go");
    away_.broker = Broker::away;
    agent_has_them();
    conclude({.kind = Kind::done});
    EXPECT_FALSE(ending_) << "the broker does not know yet";
    away_.broker = Broker::there;
    pass(limits::kRetryDelayMax);
    EXPECT_THAT(queued(), IsEmpty());
    ASSERT_TRUE(ending_);
    EXPECT_EQ(ending_->kind, Kind::done);
}

TEST_F(DrivenSessionTest, ABrokerThatStaysAwayIsNotWaitedForAtTheEnd) {
    start();
    people_say("go");
    away_.broker = Broker::away;
    agent_has_them();
    conclude({Kind::failed, "it broke"});
    EXPECT_FALSE(ending_);
    pass(limits::kRemotePatience);
    ASSERT_TRUE(ending_);
    EXPECT_EQ(ending_->why, "it broke");
}

TEST_F(DrivenSessionTest, WhatIsSaidWhileTheBrokerIsAwayIsSaidOnceItIsBack) {
    start();
    away_.broker = Broker::away;
    session_->say("first");
    session_->say("second");
    pass(limits::kRetryDelayMax * 3);
    EXPECT_THAT(given_, IsEmpty());
    EXPECT_TRUE(session_->has_words());
    EXPECT_EQ(std::ranges::count_if(onlooker_.notices,
                                    [](const std::string& notice) {
                                        return notice.find("is kept") != std::string::npos;
                                    }),
              1);
    away_.broker = Broker::there;
    pass(limits::kRetryDelayMax);
    agent_has_them();
    end_turn();
    EXPECT_THAT(given_, ElementsAre("first", "second"));
}

TEST_F(DrivenSessionTest, WhatArrivedWithoutAnAnswerIsNotSaidTwice) {
    start();
    away_.broker = Broker::goes;
    session_->say("once");
    process_->settle_down();
    away_.broker = Broker::there;
    pass(limits::kRetryDelayMax * 3);
    agent_has_them();
    end_turn();
    EXPECT_THAT(given_, ElementsAre("once"));
    EXPECT_FALSE(session_->has_words());
}

TEST_F(DrivenSessionTest, AMessageThatIsRefusedIsSaidSo) {
    start();
    session_->say("");
    process_->settle_down();
    EXPECT_THAT(onlooker_.notices, Contains(HasSubstr("the message was not taken")));
    EXPECT_FALSE(session_->has_words());
}

TEST_F(DrivenSessionTest, ALateAnswerIsGivenAgainUntilTheAgentHasIt) {
    start();
    const AskPtr ask = left_open();
    crash_and_resume();
    ASSERT_TRUE(answer(ask->id, "Tea", ada_));
    EXPECT_THAT(given_, ElementsAre(HasSubstr("Tea")));
    EXPECT_THAT(onlooker_.notices, Not(Contains(HasSubstr(ask->id.str()))));
    agent_has_them();
    EXPECT_THAT(onlooker_.notices, Contains(HasSubstr(ask->id.str())));
}

TEST_F(DrivenSessionTest, WordsBesideADecisionComeWithTheNextMessageAndPeopleAreTold) {
    start();
    session_->say_next("be quick");
    session_->say_next("");
    EXPECT_TRUE(session_->has_words());
    session_->deliver();
    EXPECT_THAT(given_, ElementsAre("be quick"));
    EXPECT_THAT(onlooker_.notices, ElementsAre("Codex is told with its next message: be quick"));
}

TEST_F(DrivenSessionTest, ASessionHasItsTitleAndMayBeRenamedInATurn) {
    start();
    const auto id = broker().resolve("talk", kUnrestricted);
    ASSERT_TRUE(id);
    EXPECT_EQ((*disk_.find_session(*id))->title, "Codex in shop");
    people_say("go");
    broker().set_title(*id, "The shop", kUnrestricted, [](const Result<SessionPtr>& changed) {
        ASSERT_TRUE(changed) << changed.error().message;
    });
    process_->settle_down();
    EXPECT_EQ(stops_, 0);
    EXPECT_TRUE(session_->is_turn_running());
}

TEST_F(DrivenSessionTest, ATurnThatSomebodyStopsIsStopped) {
    start();
    people_say("go");
    link_.abort("talk", [](const Result<SessionPtr>& stopped) { EXPECT_TRUE(stopped); });
    process_->settle_down();
    EXPECT_EQ(stops_, 1);
}

// A program may not listen: who interrupts it twice in one turn must be able to tell.
TEST_F(DrivenSessionTest, EveryTurnIsInterruptedOnce) {
    using Interruption = Driver::Interruption;
    start();
    EXPECT_EQ(session_->interrupt(), Interruption::no_turn);
    for (int turn = 0; turn < 3; ++turn) {
        people_say("go");
        EXPECT_EQ(session_->interrupt(), Interruption::stopped);
        EXPECT_EQ(session_->interrupt(), Interruption::again);
        session_->end_turn();
        process_->settle_down();
    }
}

TEST_F(DrivenSessionTest, TheNextRunKnowsWhatTheAgentCallsIt) {
    start();
    EXPECT_EQ(own_name_, std::nullopt);
    session_->keep_own_name("thread-7");
    process_->settle_down();
    crash_and_resume();
    EXPECT_EQ(own_name_, "thread-7");
}

TEST_F(DrivenSessionTest, WhatAKilledRunHadAskedIsTakenBack) {
    start();
    AskSpec asked = spec();
    asked.agent = "codex";
    const AskPtr own = open({.spec = std::move(asked), .session = "talk"});
    const AskPtr others = left_open();
    crash_and_resume();
    process_->settle_down();
    EXPECT_EQ(stored(own->id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(others->id)->state(), AskState::pending);
}

TEST_F(DrivenSessionTest, ASessionThatIsEndedSaysWhy) {
    start();
    broker().end_session("talk", "enough for today", ada_, [](const Result<SessionPtr>&) {});
    process_->settle_down();
    EXPECT_EQ(ended_, "the session was ended: enough for today");
}

TEST_F(DrivenSessionTest, ASessionThatCannotBeOpenedIsTheEnd) {
    away_.broker = Broker::away;
    start();
    pass(limits::kRemotePatience);
    EXPECT_FALSE(is_opened_);
    ASSERT_TRUE(ending_);
    EXPECT_EQ(ending_->kind, Kind::failed);
    EXPECT_EQ(ending_->why, "the broker is away");
}

}  // namespace
}  // namespace parley
