// SPDX-License-Identifier: Apache-2.0
#include "app/commands/ask_run.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "support/idle_link.h"

namespace parley::app {
namespace {

// Replies when the test says so.
class SlowLink final : public IdleLink {
public:
    void ask(AskRequest request, Done<OpenedAsk> done) override {
        spec_ = std::move(request.spec);
        asked = std::move(done);
    }
    LinkWait wait(AskId, Done<AskPtr>) override {
        ++waits;
        return {};
    }
    void withdraw(AskId, std::optional<std::string>, Done<SettleReply> done) override {
        withdrawn = std::move(done);
    }

    void reply_asked() {
        asked(OpenedAsk{.ask = std::make_shared<const Ask>(
                            Ask{.id = {},
                                .session = {},
                                .spec = std::make_shared<const AskSpec>(std::move(spec_))})});
    }

    Done<OpenedAsk> asked;
    Done<SettleReply> withdrawn;
    int waits = 0;

private:
    AskSpec spec_;
};

class SlowAccess final : public BrokerAccess {
public:
    Link& link() override { return slow; }
    RemoteLink* remote() override { return nullptr; }
    std::string address() const override { return {}; }
    bool is_lasting() const override { return false; }

    SlowLink slow;
};

class AskRunTest : public ::testing::Test {
protected:
    void start() {
        AskRun::Options options;
        options.request.session = "chat";
        run_.emplace(context_, loop_, access_, std::move(options),
                     [this](ExitCode) { ++finished_; });
        run_->start();
    }

    const Environment environment_{{}};
    Console console_{environment_};
    const GlobalOptions global_;
    const RunContext context_{"ask", environment_, console_, global_};
    net::Loop loop_;
    SlowAccess access_;
    int finished_ = 0;
    // In place, so that what a dead run does is seen without a sanitizer too.
    std::optional<AskRun> run_;
};

// A command that ends drops its prompt, and its link lives on until the session is closed.
TEST_F(AskRunTest, WhatIsRepliedToADeadRunIsDropped) {
    start();
    run_.reset();
    access_.slow.reply_asked();
    EXPECT_EQ(access_.slow.waits, 0);
    EXPECT_EQ(finished_, 0);
}

TEST_F(AskRunTest, AnAskThatIsTakenBackMayOutliveItsRun) {
    start();
    access_.slow.reply_asked();
    ASSERT_EQ(access_.slow.waits, 1);
    run_->interrupt();
    ASSERT_TRUE(access_.slow.withdrawn);
    run_.reset();
    access_.slow.withdrawn(reject(ErrorCode::unavailable, "gone"));
    EXPECT_EQ(finished_, 0);
}

}  // namespace
}  // namespace parley::app
