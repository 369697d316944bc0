// SPDX-License-Identifier: Apache-2.0
#include "agent/demo/demo_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/local_link.h"
#include "core/permission.h"

namespace parley {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Optional;

class DemoAgentTest : public BrokerTest {
protected:
    void open() {
        demo_.reset();
        finished_.reset();
        spoken_.clear();
        link_ = std::make_unique<LocalLink>(
            LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_);
        DemoAgent::open_session(*link_, [](Result<SessionPtr> opened) { ASSERT_TRUE(opened); });
        process_->settle_down();
        demo_ = std::make_unique<DemoAgent>(
            *link_, std::string(DemoAgent::kOwnSession),
            [this](std::string_view line) { spoken_ += std::string(line) + "\n"; },
            [this](Result<void> result) { finished_ = result.has_value(); });
    }
    void start() {
        open();
        demo_->introduce();
        process_->settle_down();
    }
    void show(std::string_view scene) {
        open();
        ASSERT_NE(find_demo_scene(scene), nullptr);
        demo_->show(*find_demo_scene(scene));
        process_->settle_down();
    }

    AskPtr pending(std::string_view header) {
        for (const auto& [id, ask] : broker().ledger().pending())
            if (ask->spec->questions[0].header == header) return ask;
        return nullptr;
    }
    std::size_t pending_count() { return broker().ledger().pending().size(); }
    void answer_with(std::string_view header, Answers answers) {
        const AskPtr ask = pending(header);
        ASSERT_NE(ask, nullptr) << header;
        broker().answer(ask->id, std::move(answers), {}, ada_, [](Result<SettleReply> reply) {
            ASSERT_TRUE(reply) << reply.error().message;
        });
        process_->settle_down();
    }
    void dismiss(std::string_view header) {
        ASSERT_NE(pending(header), nullptr) << header;
        broker().dismiss(pending(header)->id, "not today", ada_, [](Result<SettleReply>) {});
        process_->settle_down();
    }

    std::string spoken_;
    std::optional<bool> finished_;
    std::unique_ptr<LocalLink> link_;
    std::unique_ptr<DemoAgent> demo_;
};

TEST_F(DemoAgentTest, AsksWhatToShowUntilItIsEnough) {
    start();
    EXPECT_THAT(spoken_, HasSubstr("scripted"));
    ASSERT_NE(pending("Demo"), nullptr);
    EXPECT_EQ(pending("Demo")->spec->questions[0].options.size(), demo_scenes().size() + 1);

    answer_with("Demo", {{.selected = {"Previews side by side"}}});
    answer_with("Layout", {{.selected = {"Cards"}, .note = "larger figures"}});
    EXPECT_THAT(spoken_, HasSubstr("build this layout: Cards, with your note in mind: larger"));

    ASSERT_NE(pending("Demo"), nullptr);
    EXPECT_EQ(pending("Demo")->spec->questions[0].text, "What shall I show you next?");
    EXPECT_THAT(pending("Demo")->spec->context, Optional(HasSubstr("this layout: Cards")));
    EXPECT_FALSE(finished_);
    answer_with("Demo", {{.selected = {"That is enough"}}});
    EXPECT_EQ(finished_, true);
    EXPECT_EQ(pending_count(), 0u);
    EXPECT_EQ(broker().ledger().find_session("demo")->session->activity, Activity::idle);
}

TEST_F(DemoAgentTest, InterviewsAndSaysWhatItWouldDo) {
    show("interview");
    ASSERT_NE(pending("Auth method"), nullptr);
    EXPECT_EQ(pending("Auth method")->spec->questions.size(), 2u);
    answer_with("Auth method", {{.selected = {"OAuth 2.0 (Recommended)"}}, {.other = "LDAP"}});
    ASSERT_NE(pending("Features"), nullptr);
    EXPECT_TRUE(pending("Features")->spec->questions[0].multi_select);
    answer_with("Features", {{.selected = {"Two factors", "Audit log"}}});
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("sign-in with OAuth 2.0 and LDAP"));
    EXPECT_THAT(spoken_, HasSubstr("from the start: Two factors, Audit log."));
}

TEST_F(DemoAgentTest, ShowsPreviewsOfEveryLayout) {
    show("previews");
    ASSERT_NE(pending("Layout"), nullptr);
    for (const Option& option : pending("Layout")->spec->questions[0].options)
        EXPECT_TRUE(option.preview) << option.label;
}

// What its form wants is kept to by the broker.
TEST_F(DemoAgentTest, FillsAFormAndIsHeldToIt) {
    show("form");
    const AskPtr form = pending("Name");
    ASSERT_NE(form, nullptr);
    Answers answers = {{}, {.selected = {"Dublin"}}, {.selected = {"Sunday"}}, {.other = "me"}, {}};
    broker().answer(form->id, answers, {}, ada_,
                    [](Result<SettleReply> reply) { EXPECT_FALSE(reply); });
    process_->settle_down();
    answers[0] = {.other = "billing"};
    answer_with("Name", answers);
    EXPECT_THAT(spoken_, HasSubstr("start billing in Dublin, and write to me"));
    EXPECT_EQ(finished_, true);
}

TEST_F(DemoAgentTest, CarriesOutAPlanOnlyIfItIsApproved) {
    show("plan");
    ASSERT_NE(pending("Plan"), nullptr);
    ASSERT_TRUE(pending("Plan")->spec->permission);
    EXPECT_THAT(pending("Plan")->spec->permission->plan, Optional(HasSubstr("OAuth")));
    answer_with("Plan", {{.selected = {std::string(permission::kAllowOnce)}}});
    EXPECT_THAT(spoken_, HasSubstr("The plan is approved."));

    show("plan");
    answer_with("Plan", {{.selected = {std::string(permission::kDeny)}, .note = "too risky"}});
    EXPECT_THAT(spoken_, HasSubstr("not approved"));
    EXPECT_THAT(spoken_, HasSubstr("with your reason: too risky."));
}

TEST_F(DemoAgentTest, TwoAgentsAskAtOnceAndAreAnsweredInAnyOrder) {
    show("two");
    ASSERT_NE(pending("Pages"), nullptr);
    ASSERT_NE(pending("Tone"), nullptr);
    const SessionId second = pending("Tone")->session;
    EXPECT_NE(pending("Pages")->session, second);
    answer_with("Tone", {{.selected = {"Briefly"}}});
    EXPECT_THAT(spoken_, HasSubstr("I go on with exactly this: Tone: Briefly."));
    EXPECT_FALSE(finished_);
    EXPECT_EQ(broker().ledger().find_session(second), nullptr);
    answer_with("Pages", {{.selected = {"By cursor"}}});
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("By cursor. The second agent writes like this: Briefly."));
}

TEST_F(DemoAgentTest, TheSecondAgentLeavesWithTheFirst) {
    show("two");
    dismiss("Pages");
    EXPECT_EQ(finished_, true);
    EXPECT_EQ(pending_count(), 0u);
}

TEST_F(DemoAgentTest, TheFirstSaysThatTheSecondWasDismissed) {
    show("two");
    dismiss("Tone");
    EXPECT_THAT(spoken_, HasSubstr("I write nothing"));
    answer_with("Pages", {{.selected = {"By number"}}});
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("not today"));
}

TEST_F(DemoAgentTest, DoesNothingWhenNobodyDecidesInTime) {
    show("urgent");
    ASSERT_NE(pending("Release"), nullptr);
    EXPECT_EQ(pending("Release")->spec->urgency, Urgency::high);
    EXPECT_TRUE(pending("Release")->deadline);
    pass(std::chrono::seconds(91));
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("silence is not consent"));
    EXPECT_THAT(spoken_, Not(HasSubstr("roll back to")));
}

TEST_F(DemoAgentTest, RollsBackWhenToldTo) {
    show("urgent");
    answer_with("Release", {{.selected = {"Roll back"}}});
    EXPECT_THAT(spoken_, HasSubstr("roll back to 2.4.0"));
}

// Without an answer it does not guess, and offers the menu again.
TEST_F(DemoAgentTest, StopsASceneThatIsDismissed) {
    start();
    answer_with("Demo", {{.selected = {"A short interview"}}});
    dismiss("Auth method");
    EXPECT_THAT(spoken_, HasSubstr("not today"));
    EXPECT_EQ(pending("Features"), nullptr);
    dismiss("Demo");
    EXPECT_EQ(finished_, true);
    EXPECT_EQ(pending_count(), 0u);
}

TEST_F(DemoAgentTest, EndsWithItsSession) {
    start();
    broker().end_session("demo", std::nullopt, ada_, [](Result<SessionPtr>) {});
    process_->settle_down();
    EXPECT_EQ(finished_, true);
}

TEST_F(DemoAgentTest, StartingAgainEndsTheDemoBefore) {
    start();
    const AskId first = pending("Demo")->id;
    start();
    EXPECT_EQ(stored(first)->state(), AskState::withdrawn);
    ASSERT_NE(pending("Demo"), nullptr);
    EXPECT_NE(pending("Demo")->id, first);
}

}  // namespace
}  // namespace parley
