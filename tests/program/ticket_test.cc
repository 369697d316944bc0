// SPDX-License-Identifier: Apache-2.0
// The ways of waiting for one ask, each with the races that it can lose, on real threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "program/program_fixture.h"

namespace parley::program {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// A coroutine that starts at once and frees itself.
struct Started {
    struct promise_type {
        Started get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

// One whose frame belongs to the caller.
struct Owned {
    struct promise_type {
        Owned get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> frame;
};

Started await_into(Ticket ticket, std::shared_ptr<Inbox<Result<AskPtr>>> inbox) {
    const Result<AskPtr> settled = co_await ticket;
    inbox->put(settled);
}

Owned await_owned(Ticket ticket, std::shared_ptr<Inbox<Result<AskPtr>>> inbox) {
    const Result<AskPtr> settled = co_await ticket;
    inbox->put(settled);
}

Started await_and_note_thread(Ticket ticket, std::shared_ptr<Inbox<std::thread::id>> inbox) {
    const Result<AskPtr> settled = co_await ticket;
    inbox->put(std::this_thread::get_id());
}

class TicketTest : public ProgramTest {
protected:
    void answer(const Ticket& ticket, std::string label) {
        EXPECT_TRUE(broker_.answer(id_of(ticket), choose(std::move(label))));
    }

    std::shared_ptr<Inbox<Result<AskPtr>>> inbox_ = std::make_shared<Inbox<Result<AskPtr>>>();
};

TEST_P(TicketTest, ABlockedWaitEndsWithTheAnswerOfAnotherThread) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    std::thread person([&] { answer(ticket, "Tea"); });
    EXPECT_EQ(chosen(ticket.wait()), "Tea");
    EXPECT_EQ(chosen(*ticket.poll()), "Tea");
    person.join();
}

TEST_P(TicketTest, AnOpenTicketSaysSoAtOnceOrAfterTheGivenTime) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    ASSERT_TRUE(ticket.opened());
    EXPECT_EQ(ticket.poll(), std::nullopt);
    EXPECT_EQ(ticket.wait_for(0s), std::nullopt);
    EXPECT_EQ(ticket.wait_for(1ms), std::nullopt);
    answer(ticket, "Coffee");
    EXPECT_EQ(chosen(*ticket.wait_for(std::chrono::nanoseconds::max())), "Coffee");
}

TEST_P(TicketTest, ARefusedAskEndsTheTicketWithItsFaults) {
    AskRequest request = tea_or_coffee();
    request.spec.questions[0].text = "";
    const Ticket ticket = broker_.ask(std::move(request));
    const auto opened = ticket.opened();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::invalid);
    ASSERT_FALSE(opened.error().faults.empty());
    EXPECT_EQ(opened.error().faults[0].path, "/questions/0/question");
    EXPECT_EQ(ticket.wait(), opened);
}

TEST_P(TicketTest, TheSameKeyGivesTicketsToTheSameAsk) {
    AskRequest request = tea_or_coffee();
    request.spec.key = "deploy-7";
    const Ticket first = broker_.ask(request);
    const Ticket second = broker_.ask(request);
    EXPECT_EQ(id_of(first), id_of(second));
    answer(first, "Tea");
    EXPECT_EQ(chosen(second.wait()), "Tea");
    const Ticket after_the_fact = broker_.ask(request);
    EXPECT_EQ(chosen(after_the_fact.wait()), "Tea");
}

TEST_P(TicketTest, AnEarlierAskGetsANewTicketAndAnUnknownOneAnError) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    const Ticket again = broker_.ticket(id_of(ticket));
    EXPECT_EQ(id_of(again), id_of(ticket));
    answer(ticket, "Tea");
    EXPECT_EQ(chosen(again.wait()), "Tea");
    EXPECT_EQ(chosen(broker_.ticket(id_of(ticket)).wait()), "Tea");
    EXPECT_EQ(chosen(broker_.ticket(AskId(IdBits{1, 2})).wait()), "not-found");
}

TEST_P(TicketTest, ACallbackRunsOnceOnTheCallbackThreadBeforeOrAfterTheEnd) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    Inbox<std::thread::id> threads;
    const auto note = [&](const Result<AskPtr>& settled) {
        EXPECT_EQ(chosen(settled), "Tea");
        threads.put(std::this_thread::get_id());
    };
    ticket.on_settled(note);
    answer(ticket, "Tea");
    threads.await(1);
    ticket.on_settled(note);
    const auto ran_on = threads.await(2);
    EXPECT_EQ(ran_on[0], ran_on[1]);
    EXPECT_NE(ran_on[0], std::this_thread::get_id());
    broker_.close();
    EXPECT_EQ(threads.size(), 2u);
}

TEST_P(TicketTest, WhatACallbackThrowsIsReportedAndTheNextOneRuns) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    ticket.on_settled([](const auto&) { throw std::runtime_error("oops"); });
    ticket.on_settled([](const auto&) { throw 7; });
    ticket.on_settled([this](const auto& settled) { inbox_->put(settled); });
    answer(ticket, "Tea");
    inbox_->await(1);
    EXPECT_THAT(problems_.await(2), ElementsAre(HasSubstr("oops"), HasSubstr("no std::exception")));
}

TEST_P(TicketTest, CancellingWithdrawsTheAskAlsoBeforeItIsOpen) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    ticket.cancel("changed my mind");
    ticket.cancel("again");
    const auto settled = ticket.wait();
    ASSERT_EQ(chosen(settled), "withdrawn");
    EXPECT_EQ((*settled)->settlement->note, "changed my mind");
    EXPECT_EQ((*settled)->settlement->decider.kind, Decider::Kind::agent);
    const Ticket opened = broker_.ask(tea_or_coffee());
    ASSERT_TRUE(opened.opened());
    opened.cancel();
    EXPECT_EQ(chosen(opened.wait()), "withdrawn");
}

TEST_P(TicketTest, CancellingAfterTheAnswerChangesNothing) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    answer(ticket, "Tea");
    ticket.cancel();
    EXPECT_EQ(chosen(ticket.wait()), "Tea");
    EXPECT_EQ(chosen(broker_.ticket(id_of(ticket)).wait()), "Tea");
}

TEST_P(TicketTest, ACoroutineGoesOnAtOnceOrOnTheCallbackThread) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    auto threads = std::make_shared<Inbox<std::thread::id>>();
    await_and_note_thread(ticket, threads);
    ticket.on_settled([&](const auto&) { threads->put(std::this_thread::get_id()); });
    answer(ticket, "Tea");
    const auto ran_on = threads->await(2);
    EXPECT_EQ(ran_on[0], ran_on[1]);
    await_and_note_thread(ticket, threads);
    EXPECT_EQ(threads->await(3)[2], std::this_thread::get_id());
}

// The ask is settled while its coroutine is on its way to sleep, as often as the machine allows.
TEST_P(TicketTest, NoCoroutineIsLostWhenTheAskEndsWhileItSuspends) {
    const std::size_t rounds = world_->rounds();
    Inbox<AskId> asked;
    std::thread person([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            const AskId id = asked.await(i + 1)[i];
            EXPECT_TRUE(broker_.answer(id, choose("Tea")));
        }
    });
    for (std::size_t i = 0; i < rounds; ++i) {
        const Ticket ticket = broker_.ask(tea_or_coffee());
        asked.put(id_of(ticket));
        if (i % 3 == 0) (void)ticket.wait_for(std::chrono::microseconds(i % 50));
        await_into(ticket, inbox_);
    }
    person.join();
    for (const auto& settled : inbox_->await(rounds)) ASSERT_EQ(chosen(settled), "Tea");
}

TEST_P(TicketTest, TheProgramsOwnResumeTakesTheCoroutineElsewhere) {
    Inbox<std::coroutine_handle<>> loop;
    const auto world = GetParam()({.resume = [&](std::coroutine_handle<> one) { loop.put(one); }});
    AnyBroker& broker = world->broker();
    const Ticket ticket = broker.ask(tea_or_coffee());
    auto threads = std::make_shared<Inbox<std::thread::id>>();
    await_and_note_thread(ticket, threads);
    EXPECT_TRUE(broker.answer(id_of(ticket), choose("Tea")));
    loop.await(1)[0].resume();
    EXPECT_EQ(threads->await(1)[0], std::this_thread::get_id());
}

TEST_P(TicketTest, ACoroutineThatIsDestroyedWhileSuspendedIsNotResumed) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    const Owned destroyed = await_owned(ticket, inbox_);
    await_into(ticket, inbox_);
    destroyed.frame.destroy();
    answer(ticket, "Tea");
    inbox_->await(1);
    broker_.close();
    EXPECT_EQ(inbox_->size(), 1u);
}

// Every way of waiting, and a ticket that lives on.
TEST_P(TicketTest, ClosingInterruptsAllThatWaits) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    ASSERT_TRUE(ticket.opened());
    std::thread blocked([&] { inbox_->put(ticket.wait()); });
    std::thread blocked_for([&] { inbox_->put(*ticket.wait_for(1h)); });
    ticket.on_settled([this](const auto& settled) { inbox_->put(settled); });
    await_into(ticket, inbox_);
    world_->drop();
    blocked.join();
    blocked_for.join();
    for (const auto& ended : inbox_->await(4)) EXPECT_EQ(chosen(ended), "interrupted");
    EXPECT_EQ(chosen(*ticket.poll()), "interrupted");
    EXPECT_TRUE(ticket.opened());
    // There is no callback thread any more.
    bool is_called = false;
    ticket.on_settled([&](const auto&) { is_called = true; });
    EXPECT_TRUE(is_called);
    ticket.cancel();
}

TEST_P(TicketTest, CallbacksStillWorkWhileTheBrokerCloses) {
    const Ticket ticket = broker_.ask(tea_or_coffee());
    ticket.on_settled([&](const auto& settled) {
        inbox_->put(settled);
        inbox_->put(broker_.ask(tea_or_coffee()).wait());
        ticket.on_settled([&](const auto& again) { inbox_->put(again); });
    });
    broker_.close();
    const auto got = inbox_->await(3);
    EXPECT_EQ(chosen(got[0]), "interrupted");
    EXPECT_EQ(chosen(got[1]), "unavailable");
    EXPECT_EQ(chosen(got[2]), "interrupted");
}

PARLEY_FOR_EVERY_BROKER(TicketTest);

}  // namespace
}  // namespace parley::program
