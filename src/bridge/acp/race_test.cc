// SPDX-License-Identifier: Apache-2.0
#include "bridge/acp/race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/limits.h"
#include "client/local_link.h"
#include "support/idle_link.h"

namespace parley {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A broker that can be away for those who take something back.
class FickleLink final : public IdleLink {
public:
    FickleLink(Executor& home, Link& broker) : home_(home), broker_(broker) {}
    void ask(AskRequest request, Done<OpenedAsk> done) override {
        broker_.ask(std::move(request), std::move(done));
    }
    LinkWait wait(AskId id, Done<AskPtr> settled) override {
        return broker_.wait(id, std::move(settled));
    }
    void withdraw(AskId id, std::optional<std::string> reason, Done<SettleReply> done) override {
        if (is_there) return broker_.withdraw(id, std::move(reason), std::move(done));
        home_.post(
            [done = std::move(done)]() mutable { done(reject(ErrorCode::unavailable, "away")); });
    }
    void open_session(SessionRequest request, Done<SessionPtr> done) override {
        broker_.open_session(std::move(request), std::move(done));
    }
    void give_notice(std::string_view ref, NoticeGiven notice, Done<void> done) override {
        notices.push_back(notice.text);
        broker_.give_notice(ref, std::move(notice), std::move(done));
    }

    bool is_there = true;
    std::vector<std::string> notices;

private:
    Executor& home_;
    Link& broker_;
};

constexpr std::string_view kOptions =
    R"("options":[{"optionId":"yes","name":"Allow","kind":"allow_once"},)"
    R"({"optionId":"no","name":"Reject","kind":"reject_once"}])";

class RaceTest : public BrokerTest {
protected:
    RaceTest()
        : local_(LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_),
          link_(process_->home, local_),
          race_({process_->home, clock_},
                {.agent = "tester", .called = "Tester", .folder = {}, .run = "r"},
                {[this](std::string line) { to_editor_.push_back(std::move(line)); },
                 [this](std::string line) { to_agent_.push_back(std::move(line)); }}) {
        race_.join(link_);
    }

    void from_agent(const std::string& line) {
        race_.from_agent(line);
        process_->settle_down();
    }
    void from_editor(const std::string& line) {
        race_.from_editor(line);
        process_->settle_down();
    }
    void want(std::string_view call, int id = 0) {
        from_agent(fmt::format(R"({{"id":{},"method":"session/request_permission","params":)"
                               R"({{"sessionId":"s","toolCall":{},{}}}}})",
                               id, call, kOptions));
    }
    std::vector<AskPtr> pending() {
        std::vector<AskPtr> all;
        local_.list_asks({.state = AskState::pending},
                         [&](const Result<AskPage>& page) { all = page->asks; });
        process_->settle_down();
        return all;
    }

    LocalLink local_;
    FickleLink link_;
    std::vector<std::string> to_editor_;
    std::vector<std::string> to_agent_;
    AcpRace race_;
};

constexpr std::string_view kUpdate =
    R"({"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call",)"
    R"("toolCallId":"c","title":"Edit","kind":"edit","content":[)"
    R"({"type":"diff","path":"/a","oldText":"","newText":"x\n"}]}}})";

// The protocol lets a permission name a call and say no more of it.
TEST_F(RaceTest, APermissionIsShownWithWhatWasToldBeforeOfItsCall) {
    from_agent(std::string(kUpdate));
    want(R"({"toolCallId":"c"})");
    ASSERT_THAT(pending(), SizeIs(1));
    EXPECT_THAT(pending()[0]->spec->permission->diff.value_or(""), HasSubstr("+x"));
}

TEST_F(RaceTest, WithoutThatItIsShownByItself) {
    want(R"({"toolCallId":"c","title":"rm -r a","kind":"execute"})");
    ASSERT_THAT(pending(), SizeIs(1));
    EXPECT_EQ(pending()[0]->spec->permission->input, R"({"command":"rm -r a"})");
}

TEST_F(RaceTest, ACallOfWhichNothingIsToldIsTheEditorsAlone) {
    want(R"({"toolCallId":"c"})");
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_THAT(to_editor_, SizeIs(1));
}

TEST_F(RaceTest, ParleysOwnToolPassesByRuleAndItsFormIsNotAskedTwice) {
    // The input was told before.
    from_agent(R"({"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":)"
               R"("tool_call","toolCallId":"c","rawInput":{"questions":[{"question":"Tea?"}]}}}})");
    to_editor_.clear();
    want(R"({"toolCallId":"c","title":"parley_ask_user","kind":"other"})");
    EXPECT_THAT(to_agent_, ElementsAre(HasSubstr(R"("optionId":"yes")")));
    EXPECT_THAT(to_editor_, IsEmpty());
    EXPECT_THAT(link_.notices, ElementsAre(HasSubstr("passes by rule")));
    from_agent(R"({"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form",)"
               R"("message":"m","requestedSchema":{"type":"object","properties":{"q0":{}}}}})");
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_THAT(to_editor_, SizeIs(1));
}

TEST_F(RaceTest, WhatTheEditorAnsweredWhileTheBrokerWasAwayIsTakenBackInOrder) {
    want(R"({"toolCallId":"a","title":"one","kind":"execute"})", 0);
    want(R"({"toolCallId":"b","title":"two","kind":"execute"})", 1);
    link_.is_there = false;
    const std::string yes = R"("result":{"outcome":{"outcome":"selected","optionId":"yes"}}})";
    from_editor(R"({"id":0,)" + yes);
    from_editor(R"({"id":1,)" + yes);
    EXPECT_THAT(to_agent_, SizeIs(2));
    bool is_done = false;
    race_.end([&] { is_done = true; });
    pass(limits::kRemotePatience * 2);
    EXPECT_THAT(pending(), SizeIs(2));
    EXPECT_FALSE(is_done);
    link_.is_there = true;
    pass(limits::kRetryDelayMax);
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_TRUE(is_done);
}

TEST_F(RaceTest, ALateAnswerOfTheEditorIsNoSecondAnswer) {
    want(R"({"toolCallId":"a","title":"one","kind":"execute"})");
    (void)answer(pending()[0]->id, "Reject", ada_);
    EXPECT_THAT(to_agent_, ElementsAre(HasSubstr(R"("optionId":"no")")));
    EXPECT_THAT(to_editor_.back(), HasSubstr("$/cancel_request"));
    from_editor(R"({"id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}})");
    EXPECT_THAT(to_agent_, SizeIs(1));
}

TEST_F(RaceTest, WordsAreNotPromisedToReachTheAgent) {
    want(R"({"toolCallId":"a","title":"one","kind":"execute"})");
    const Question& question = pending()[0]->spec->questions[0];
    EXPECT_FALSE(question.custom);
    EXPECT_THAT(question.options.back().description, HasSubstr("stay here"));
}

TEST_F(RaceTest, WhereNothingCanBeChosenTheEditorAloneIsAsked) {
    from_agent(R"({"id":0,"method":"session/request_permission","params":{"sessionId":"s",)"
               R"("toolCall":{"toolCallId":"a","title":"one","kind":"execute"},"options":[]}})");
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_THAT(to_editor_, SizeIs(1));
}

// The agent would work on behind the back of whoever stopped it.
TEST_F(RaceTest, StoppedHereTheAgentIsToldOnceAndTheEditorDropsItsDialogs) {
    from_editor(R"({"id":9,"method":"session/prompt","params":{"sessionId":"s"}})");
    want(R"({"toolCallId":"a","title":"one","kind":"execute"})", 0);
    want(R"({"toolCallId":"b","title":"two","kind":"execute"})", 1);
    to_agent_.clear();
    to_editor_.clear();
    local_.abort("s", [](const Result<SessionPtr>& session) { EXPECT_TRUE(session); });
    process_->settle_down();
    EXPECT_THAT(pending(), IsEmpty());
    EXPECT_THAT(to_agent_,
                UnorderedElementsAre(HasSubstr("session/cancel"), HasSubstr(R"("cancelled")"),
                                     HasSubstr(R"("cancelled")")));
    EXPECT_THAT(to_editor_, Each(HasSubstr("$/cancel_request")));
    EXPECT_THAT(to_editor_, SizeIs(2));
}

// A completion that names no form is of none.
TEST_F(RaceTest, ACompletionWithoutANameTakesNothingBack) {
    from_agent(R"({"id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form",)"
               R"("message":"m","requestedSchema":{"type":"object","properties":)"
               R"({"name":{"type":"string"}}}}})");
    ASSERT_THAT(pending(), SizeIs(1));
    from_agent(R"({"method":"elicitation/complete","params":{}})");
    EXPECT_THAT(pending(), SizeIs(1));
}

}  // namespace
}  // namespace parley
