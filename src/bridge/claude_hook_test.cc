// SPDX-License-Identifier: Apache-2.0
#include "bridge/claude_hook.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker_fixture.h"
#include "client/local_link.h"

namespace parley {
namespace {

class ClaudeHookTest : public BrokerTest {
protected:
    void SetUp() override {
        BrokerTest::SetUp();
        link_ = std::make_unique<LocalLink>(
            LocalLink::Wiring{process_->home, clock_, process_->broker}, agent_);
    }
    void call(std::string_view event, claude::HookRules rules = {}, std::string_view more = "") {
        auto read = claude::read_hook_call(fmt::format(
            R"({{"session_id":"s1","prompt_id":"p1","hook_event_name":"{}","tool_name":)"
            R"("AskUserQuestion","tool_input":{{"questions":[{{"question":"Q?","header":"H",)"
            R"("options":[{{"label":"A","description":""}},{{"label":"B","description":""}}]}}]}})"
            R"({}}})",
            event, more));
        ASSERT_TRUE(read);
        ended_.reset();
        hook_ = std::make_unique<ClaudeHook>(
            *link_, std::move(*read), ClaudeHook::Options{.rules = rules, .nonce = "n"},
            [this](ClaudeHook::Ending ending) { ended_ = std::move(ending); });
        hook_->start();
        process_->settle_down();
    }
    AskPtr pending() {
        const auto& all = broker().ledger().pending();
        return all.size() == 1 ? all.begin()->second : nullptr;
    }

    std::unique_ptr<LocalLink> link_;
    std::unique_ptr<ClaudeHook> hook_;
    std::optional<ClaudeHook::Ending> ended_;
};

TEST_F(ClaudeHookTest, WaitsForTheAnswerAndPrintsIt) {
    call("PreToolUse", {}, R"(,"tool_use_id":"t1")");
    ASSERT_NE(pending(), nullptr);
    EXPECT_FALSE(ended_);
    broker().answer(pending()->id, {{.selected = {"B"}}}, {}, ada_, [](Result<SettleReply>) {});
    process_->settle_down();
    ASSERT_TRUE(ended_);
    EXPECT_THAT(ended_->output, testing::HasSubstr(R"("answers":{"Q?":"B"})"));
    // The same call again, as after a resume, finds its answer.
    call("PreToolUse", {}, R"(,"tool_use_id":"t1")");
    ASSERT_TRUE(ended_);
    EXPECT_THAT(ended_->output, testing::HasSubstr(R"("answers":{"Q?":"B"})"));
}

// A person may take days: nothing is held all the while that only stood beside the question.
TEST_F(ClaudeHookTest, WhatACallBringsBesideItsQuestionIsNotKeptAndNotMuchOfWhatTheAnswerNeeds) {
    const std::string much(100'000, 'x');
    call("PreToolUse", {}, fmt::format(R"(,"tool_use_id":"t1","tool_response":"{}")", much));
    ASSERT_NE(pending(), nullptr);
    broker().answer(pending()->id, {{.selected = {"B"}}}, {}, ada_, [](Result<SettleReply>) {});
    process_->settle_down();
    ASSERT_TRUE(ended_);
    EXPECT_THAT(ended_->output, testing::HasSubstr(R"("answers":{"Q?":"B"})"));
    for (const std::string_view member : {"permission_suggestions", "transcript_path", "cwd"}) {
        call("PermissionRequest", {}, fmt::format(R"(,"{}":"{}")", member, much));
        ASSERT_TRUE(ended_) << member;
        ASSERT_TRUE(ended_->error) << member;
        EXPECT_EQ(ended_->error->code, ErrorCode::too_large);
        EXPECT_EQ(pending(), nullptr);
    }
}

TEST_F(ClaudeHookTest, DefersAndLeavesTheAskOpen) {
    call("PreToolUse", {.defers = true}, R"(,"tool_use_id":"t1")");
    ASSERT_TRUE(ended_);
    EXPECT_EQ(ended_->output, claude::defer_output());
    EXPECT_NE(pending(), nullptr);
}

TEST_F(ClaudeHookTest, TakesTheAskBackWhenItGivesUp) {
    call("PermissionRequest");
    ASSERT_NE(pending(), nullptr);
    hook_->give_up("Claude Code is gone");
    process_->settle_down();
    ASSERT_TRUE(ended_);
    EXPECT_EQ(ended_->output, "");
    EXPECT_EQ(pending(), nullptr);
}

TEST_F(ClaudeHookTest, PostToolUseWithdrawsWhatWasAnsweredElsewhere) {
    call("PermissionRequest");
    const auto asking = std::move(hook_);
    ASSERT_NE(pending(), nullptr);
    call("PostToolUse", {}, R"(,"tool_use_id":"t1")");
    EXPECT_EQ(pending(), nullptr);
    ASSERT_TRUE(ended_);
    EXPECT_EQ(ended_->output, "");
}

TEST_F(ClaudeHookTest, SaysNothingWhereItCannotAsk) {
    auto read = claude::read_hook_call(
        R"({"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion",)"
        R"("tool_input":{"questions":[]}})");
    ASSERT_TRUE(read);
    hook_ = std::make_unique<ClaudeHook>(
        *link_, std::move(*read), ClaudeHook::Options{.nonce = "n"},
        [this](ClaudeHook::Ending ending) { ended_ = std::move(ending); });
    hook_->start();
    process_->settle_down();
    ASSERT_TRUE(ended_);
    EXPECT_EQ(ended_->output, "");
    EXPECT_TRUE(ended_->error);
}

}  // namespace
}  // namespace parley
