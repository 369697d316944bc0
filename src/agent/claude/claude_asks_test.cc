// SPDX-License-Identifier: Apache-2.0
#include "agent/claude/claude_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/asks_fixture.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A Claude Code that wants to run a command, and what was said to it.
class ClaudeAsksTest : public AsksTest, public ClaudeAsks::Listener {
protected:
    ClaudeAsksTest() : asks_({process_->home, clock_, link_}, {.session = "s1"}, *this) {
        claude::ToolWish wish{.permission = {.tool = "Bash", .input = json::Object()},
                              .call_id = "toolu_1"};
        asks_.take({.id = "r1", .wish = std::move(wish)});
        settle_down();
    }

    void reply(std::string line) override { replies_.push_back(std::move(line)); }
    void asked(const AskRequest&) override {}
    void answered(const std::string&, std::string) override {}
    void missed(const AskPtr& ask) override { missed_.push_back(ask->id); }
    void closed() override {}
    void turn_stopped() override {}
    void interrupting() override {}
    void trouble(const std::string& text) override { ADD_FAILURE() << text; }

    std::vector<std::string> replies_;
    std::vector<AskId> missed_;
    ClaudeAsks asks_;
};

TEST_F(ClaudeAsksTest, WhatClaudeCodeWantsNoLongerIsTakenBack) {
    const AskId id = only()->id;
    asks_.cancel("r1");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_THAT(missed_, IsEmpty());
    EXPECT_FALSE(asks_.is_waiting());
}

TEST_F(ClaudeAsksTest, AnAnswerThatACancellationMissedIsTold) {
    const AskId id = only()->id;
    answer_meanwhile(id, {.selected = {"Deny"}, .note = "not here"});
    asks_.cancel("r1");
    settle_down();
    EXPECT_THAT(replies_, IsEmpty());
    EXPECT_THAT(missed_, ElementsAre(id));
    EXPECT_FALSE(asks_.is_waiting());
}

TEST_F(ClaudeAsksTest, AndOneThatTheEndOfClaudeCodeMissedBeforeAllIsTakenBack) {
    const AskId id = only()->id;
    answer_meanwhile(id, {.selected = {"Deny"}, .note = "not here"});
    std::vector<AskId> missed_by_then;
    asks_.withdraw_all("Claude Code has ended", [&] { missed_by_then = missed_; });
    settle_down();
    EXPECT_THAT(missed_by_then, ElementsAre(id));
}

}  // namespace
}  // namespace parley
