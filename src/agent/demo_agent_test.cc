// SPDX-License-Identifier: Apache-2.0
#include "agent/demo_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {
namespace {

using testing::HasSubstr;

class DemoAgentTest : public BrokerTest {
protected:
    void start() {
        link_ = std::make_unique<LocalLink>(
            LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_);
        demo_ = std::make_unique<DemoAgent>(
            *link_, std::string(DemoAgent::kOwnSession),
            [this](std::string_view line) { spoken_ += std::string(line) + "\n"; },
            [this](Result<void> result) { finished_ = result.has_value(); });
        demo_->start();
        process_->settle_down();
    }
    AskPtr pending() {
        const auto& all = broker().ledger().pending();
        return all.size() == 1 ? all.begin()->second : nullptr;
    }
    void answer_with(Answers answers) {
        broker().answer(pending()->id, std::move(answers), {}, ada_,
                        [](Result<SettleReply> reply) { ASSERT_TRUE(reply); });
        process_->settle_down();
    }

    std::string spoken_;
    std::optional<bool> finished_;
    std::unique_ptr<LocalLink> link_;
    std::unique_ptr<DemoAgent> demo_;
};

TEST_F(DemoAgentTest, AsksTwoQuestionsThenSeveralThenSaysWhatWasChosen) {
    start();
    EXPECT_THAT(spoken_, HasSubstr("scripted"));
    ASSERT_NE(pending(), nullptr);
    EXPECT_EQ(pending()->spec->questions.size(), 2u);
    answer_with({{.selected = {"JWT"}}, {.selected = {"Firebase Auth"}}});
    ASSERT_NE(pending(), nullptr);
    EXPECT_TRUE(pending()->spec->questions[0].multi_select);
    answer_with({{.selected = {"Two factors", "Audit log"}}});
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("Auth method: JWT"));
    EXPECT_THAT(spoken_, HasSubstr("Features: Two factors, Audit log"));
}

// Without an answer it does not guess.
TEST_F(DemoAgentTest, StopsWhenItIsDismissed) {
    start();
    broker().dismiss(pending()->id, "not today", ada_, [](Result<SettleReply>) {});
    process_->settle_down();
    EXPECT_EQ(finished_, true);
    EXPECT_THAT(spoken_, HasSubstr("not today"));
    EXPECT_EQ(pending(), nullptr);
}

TEST_F(DemoAgentTest, StartingAgainEndsTheInterviewBefore) {
    start();
    const AskId first = pending()->id;
    start();
    EXPECT_EQ(stored(first)->state(), AskState::withdrawn);
    ASSERT_NE(pending(), nullptr);
    EXPECT_NE(pending()->id, first);
}

}  // namespace
}  // namespace parley
