// SPDX-License-Identifier: Apache-2.0
#include "door/tool_result/answer_call.h"

#include <gtest/gtest.h>

#include "support/sim_broker.h"

namespace parley {
namespace {

using sim::Got;

class AnswerCallTest : public testing::Test {
protected:
    AskPtr ask(std::string session, std::optional<std::string> call) {
        AskRequest request{.spec = sim::tea_or_coffee(), .session = std::move(session)};
        if (call) request.spec.tool = ToolCall{.message_id = {}, .call_id = std::move(*call)};
        Got<OpenedAsk> got;
        world_.broker.ask(std::move(request), kOpenProfile, agent_, got.done());
        world_.settle_down();
        return got->value().ask;
    }
    void click(const Ask& ask, const std::string& call, std::string label,
               Got<CallResolution>& got) {
        answer_call(
            world_.broker, ask.session, call,
            [label = std::move(label)](const Ask&) { return Answers{{.selected = {label}}}; }, ada_,
            got.done());
    }
    Result<CallResolution> resolve(const Ask& ask, const std::string& call, std::string label) {
        Got<CallResolution> got;
        click(ask, call, std::move(label), got);
        world_.settle_down();
        return *got;
    }

    const Actor agent_ = unrestricted_actor("bot", "test");
    const Actor ada_ = unrestricted_actor("ada", "test");
    const Answers tea_{{.selected = {"Tea"}}};
    sim::SimBroker world_;
};

TEST_F(AnswerCallTest, AClickAnswersTheAskOfThatCallInThatSession) {
    const AskPtr first = ask("one", "toolu_1");
    const AskPtr other = ask("two", "toolu_1");
    const auto resolution = resolve(*other, "toolu_1", "Tea");
    ASSERT_TRUE(resolution);
    EXPECT_TRUE(resolution->is_resolved);
    EXPECT_EQ(resolution->ask->id, other->id);
    EXPECT_EQ(resolution->ask->settlement->answers, tea_);
    EXPECT_NE(world_.broker.ledger().find_pending(first->id), nullptr);
}

TEST_F(AnswerCallTest, AnAskWithoutACallIsMeantByItsId) {
    const AskPtr asked = ask("one", std::nullopt);
    const AskPtr elsewhere = ask("two", std::nullopt);
    EXPECT_EQ(resolve(*elsewhere, asked->id.str(), "Tea")->ask, nullptr) << "another session's";
    EXPECT_TRUE(resolve(*asked, asked->id.str(), "Tea")->is_resolved);
}

TEST_F(AnswerCallTest, ALateOrUnknownClickIsNotResolved) {
    const AskPtr asked = ask("one", "toolu_1");
    ASSERT_TRUE(resolve(*asked, "toolu_1", "Tea")->is_resolved);
    const auto late = resolve(*asked, "toolu_1", "Coffee");
    EXPECT_FALSE(late->is_resolved);
    EXPECT_EQ(late->ask->settlement->answers, tea_) << "who comes late is told what stands";
    EXPECT_FALSE(resolve(*asked, "toolu_2", "Tea")->is_resolved);
    EXPECT_EQ(resolve(*asked, "toolu_2", "Tea")->ask, nullptr);
}

TEST_F(AnswerCallTest, TheLoserOfARaceIsToldWhatStands) {
    const AskPtr asked = ask("one", "toolu_1");
    Got<CallResolution> first;
    Got<CallResolution> second;
    click(*asked, "toolu_1", "Tea", first);
    click(*asked, "toolu_1", "Coffee", second);
    world_.settle_down();
    EXPECT_TRUE((*first)->is_resolved);
    EXPECT_FALSE((*second)->is_resolved);
    EXPECT_EQ((*second)->ask->settlement->answers, tea_);
}

TEST_F(AnswerCallTest, AnInvalidAnswerLeavesTheAskPending) {
    const AskPtr asked = ask("one", "toolu_1");
    EXPECT_FALSE(resolve(*asked, "toolu_1", "Milk"));
    EXPECT_NE(world_.broker.ledger().find_pending(asked->id), nullptr);
    EXPECT_TRUE(resolve(*asked, "toolu_1", "Tea")->is_resolved);
}

}  // namespace
}  // namespace parley
