// SPDX-License-Identifier: Apache-2.0
#include "agent/acp/acp_asks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/asks_fixture.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kRequest =
    R"({"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s",)"
    R"("toolCall":{"toolCallId":"c1","title":"make","kind":"execute",)"
    R"("rawInput":{"command":"make"}},)"
    R"("options":[{"optionId":"once","name":"Allow","kind":"allow_once"},)"
    R"({"optionId":"no","name":"Reject","kind":"reject_once"}]}})";

// An agent with one request, and what was said to it.
class AcpAsksTest : public AsksTest, public AcpAsks::Listener {
protected:
    AcpAsksTest()
        : asks_({process_->home, clock_, link_},
                {.session = "s1", .agent = "tester", .called = "Tester", .run = "r1"}, *this) {
        asks_.take(std::get<acp::Request>(acp::read_line(kRequest).value()));
        settle_down();
    }

    void reply(std::string line) override { replies_.push_back(std::move(line)); }
    void asked(const AskRequest&) override {}
    void said(std::string) override {}
    void missed(const AskPtr& ask) override { missed_.push_back(ask->id); }
    void turn_stopped() override {}
    void passed(const std::string&) override {}
    void trouble(const std::string& text) override { ADD_FAILURE() << text; }

    std::vector<std::string> replies_;
    std::vector<AskId> missed_;
    AcpAsks asks_;
};

TEST_F(AcpAsksTest, WhatTheAgentWantsNoLongerIsTakenBack) {
    const AskId id = only()->id;
    asks_.cancel("5");
    settle_down();
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_THAT(replies_, ElementsAre(HasSubstr("cancelled")));
    EXPECT_THAT(missed_, IsEmpty());
}

TEST_F(AcpAsksTest, AnAnswerThatACancellationMissedIsTold) {
    const AskId id = only()->id;
    answer_meanwhile(id, {.selected = {"Allow"}});
    asks_.cancel("5");
    settle_down();
    EXPECT_THAT(replies_, ElementsAre(HasSubstr("cancelled")));
    EXPECT_THAT(missed_, ElementsAre(id));
}

// Who was sent to an address and has done there what was wanted has not declined it.
TEST_F(AcpAsksTest, AnAddressThatIsDoneWithIsAccepted) {
    asks_.cancel("5");
    settle_down();
    replies_.clear();
    asks_.take(std::get<acp::Request>(
        acp::read_line(R"({"id":6,"method":"elicitation/create","params":{"sessionId":"s",)"
                       R"("mode":"url","message":"Sign in","url":"https://sign.example/in",)"
                       R"("elicitationId":"el_1"}})")
            .value()));
    settle_down();
    const AskId id = only()->id;
    asks_.complete("el_1");
    settle_down();
    EXPECT_THAT(replies_, ElementsAre(HasSubstr(R"({"action":"accept"})")));
    EXPECT_EQ(stored(id)->state(), AskState::withdrawn);
    EXPECT_EQ(stored(id)->settlement->note, "it was done at its address");
}

TEST_F(AcpAsksTest, AndOneThatTheEndOfTheTurnMissedBeforeAllIsClosed) {
    const AskId id = only()->id;
    answer_meanwhile(id, {.selected = {"Allow"}});
    asks_.close_all("Tester has ended its turn");
    std::vector<AskId> missed_by_then;
    asks_.when_closed([&] { missed_by_then = missed_; });
    settle_down();
    EXPECT_THAT(missed_by_then, ElementsAre(id));
}

}  // namespace
}  // namespace parley
