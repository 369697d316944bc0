// SPDX-License-Identifier: Apache-2.0
// The question handler: what it is given, what becomes of what it returns, and that neither its
// blocking nor its failing stops anything else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <stdexcept>
#include <thread>

#include "program/program_fixture.h"

namespace parley::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<Answers> leave_open(const Ask&, const std::stop_token&) {
    return std::nullopt;
}

class HandlerTest : public ProgramTest {
protected:
    // A handler may be at work until then, with what is here.
    void TearDown() override { broker_.close(); }

    Ticket ask(std::string session = "chat") {
        Ticket ticket = broker_.ask(tea_or_coffee(std::move(session)));
        EXPECT_TRUE(ticket.opened());
        return ticket;
    }

    Inbox<AskId> given_;
    std::binary_semaphore release_{0};
};

TEST_P(HandlerTest, IsGivenThePendingAsksFirstAndThenEachNewOneInOrder) {
    std::vector<Ticket> tickets = {ask(), ask()};
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) {
        given_.put(ask.id);
        return choose("Tea");
    });
    tickets.push_back(ask("other"));
    for (const Ticket& ticket : tickets) EXPECT_EQ(chosen(ticket.wait()), "Tea");
    EXPECT_THAT(given_.await(3),
                ElementsAre(id_of(tickets[0]), id_of(tickets[1]), id_of(tickets[2])));
}

TEST_P(HandlerTest, MayLeaveAnAskToOthers) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        given_.put(ask.id);
        if (given_.size() == 1) return std::nullopt;
        return choose("Coffee");
    });
    const Ticket left_open = ask();
    EXPECT_EQ(chosen(ask().wait()), "Coffee");
    EXPECT_EQ(left_open.poll(), std::nullopt);
    EXPECT_TRUE(broker_.answer(id_of(left_open), choose("Tea")));
    EXPECT_EQ(chosen(left_open.wait()), "Tea");
    EXPECT_EQ(given_.size(), 2u);
}

TEST_P(HandlerTest, ThatBlocksDoesNotStopTheBroker) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        given_.put(ask.id);
        release_.acquire();
        return choose("Tea");
    });
    const Ticket blocked = ask();
    given_.await(1);
    const Ticket other = ask();
    EXPECT_TRUE(broker_.answer(id_of(other), choose("Coffee"))->is_yours);
    EXPECT_EQ(chosen(other.wait()), "Coffee");
    EXPECT_EQ(blocked.poll(), std::nullopt);
    release_.release();
    EXPECT_EQ(chosen(blocked.wait()), "Tea");
    // The other was settled before its turn.
    EXPECT_EQ(given_.size(), 1u);
}

TEST_P(HandlerTest, IsToldToStopWhenTheAskIsSettledElsewhere) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token& stop) {
        given_.put(ask.id);
        const std::stop_callback wake(stop, [this] { release_.release(); });
        release_.acquire();
        return choose("Coffee");
    });
    const Ticket ticket = ask();
    given_.await(1);
    EXPECT_TRUE(broker_.answer(id_of(ticket), choose("Tea"))->is_yours);
    EXPECT_EQ(chosen(ticket.wait()), "Tea");
    const Ticket next = ask();
    given_.await(2);
    EXPECT_TRUE(broker_.dismiss(id_of(next)));
    EXPECT_EQ(chosen(next.wait()), "dismissed");
    EXPECT_EQ(problems_.size(), 0u);
}

TEST_P(HandlerTest, ThatThrowsLeavesTheAskOpenAndIsGivenTheNext) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        given_.put(ask.id);
        if (given_.size() == 1) throw std::runtime_error("no terminal");
        return choose("Tea");
    });
    const Ticket first = ask();
    EXPECT_EQ(chosen(ask().wait()), "Tea");
    EXPECT_EQ(first.poll(), std::nullopt);
    EXPECT_THAT(problems_.await(1), ElementsAre("the question handler threw: no terminal"));
}

TEST_P(HandlerTest, WhoseAnswerIsRefusedLeavesTheAskOpenAndIsToldWhy) {
    broker_.set_handler([](const Ask&, const std::stop_token&) { return choose("Milk"); });
    const Ticket ticket = ask();
    const auto problems = problems_.await(1);
    EXPECT_THAT(problems[0], HasSubstr(id_of(ticket).str()));
    EXPECT_THAT(problems[0], HasSubstr("/answers/0/selected/0"));
    EXPECT_EQ(ticket.poll(), std::nullopt);
}

TEST_P(HandlerTest, MayBeReplacedAndTheEarlierOneHasReturnedThen) {
    bool has_returned = false;  // not atomic: set_handler is what orders it
    broker_.set_handler([&](const Ask& ask, const std::stop_token& stop) -> std::optional<Answers> {
        given_.put(ask.id);
        const std::stop_callback wake(stop, [this] { release_.release(); });
        release_.acquire();
        has_returned = true;
        return choose("Coffee");
    });
    const Ticket ticket = ask();
    given_.await(1);
    broker_.set_handler([](const Ask&, const std::stop_token&) { return choose("Tea"); });
    EXPECT_TRUE(has_returned);
    // What the earlier one still returned was no longer wanted.
    EXPECT_EQ(chosen(ticket.wait()), "Tea");
    broker_.set_handler(nullptr);
    const Ticket unhandled = ask();
    EXPECT_EQ(unhandled.poll(), std::nullopt);
}

TEST_P(HandlerTest, MayReplaceItself) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        given_.put(ask.id);
        broker_.set_handler([](const Ask&, const std::stop_token&) { return choose("Tea"); });
        return choose("Coffee");
    });
    EXPECT_EQ(chosen(ask().wait()), "Tea");
    EXPECT_EQ(chosen(ask().wait()), "Tea");
    EXPECT_EQ(given_.size(), 1u);
}

TEST_P(HandlerTest, MayUseTheBrokerItself) {
    broker_.set_handler([this](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        const auto settled = broker_.answer(ask.id, choose("Coffee"), {.by = "Ada"});
        EXPECT_TRUE(settled && settled->is_yours);
        given_.put(ask.id);
        return std::nullopt;
    });
    EXPECT_EQ((*ask().wait())->settlement->decider.claimed, "Ada");
    given_.await(1);
}

TEST_P(HandlerTest, IsStoppedAndWaitedForWhenTheBrokerCloses) {
    bool has_returned = false;
    broker_.set_handler([&](const Ask& ask, const std::stop_token& stop) -> std::optional<Answers> {
        given_.put(ask.id);
        const std::stop_callback wake(stop, [this] { release_.release(); });
        release_.acquire();
        has_returned = true;
        return choose("Tea");
    });
    const Ticket ticket = ask();
    given_.await(1);
    broker_.close();
    EXPECT_TRUE(has_returned);
    EXPECT_EQ(chosen(ticket.wait()), "interrupted");
}

// It waits for an ask that will not end: closing must reach it there.
TEST_P(HandlerTest, ThatWaitsForAnotherAskIsInterruptedWhenTheBrokerCloses) {
    const Ticket other = ask();
    broker_.set_handler(leave_open);
    broker_.set_handler([&](const Ask& ask, const std::stop_token&) -> std::optional<Answers> {
        given_.put(ask.id);
        EXPECT_EQ(chosen(other.wait()), "interrupted");
        return std::nullopt;
    });
    given_.await(1);
    broker_.close();
}

PARLEY_FOR_EVERY_BROKER(HandlerTest);

}  // namespace
}  // namespace parley::program
