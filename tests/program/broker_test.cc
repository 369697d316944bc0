// SPDX-License-Identifier: Apache-2.0
// parley::Broker as a program uses it: many threads at once, a store on disk, sessions, closing.
#include "parley/broker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "program/program_fixture.h"
#include "program/test_folder.h"

namespace parley::program {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Broker open_memory() {
    return std::move(*Broker::open());
}

TEST(EmbeddedBroker, OfManyThreadsThatAnswerOneAskOneIsFirstAndAllAreToldWho) {
    Broker broker = open_memory();
    const Ticket ticket = broker.ask(tea_or_coffee());
    const AskId id = (*ticket.opened())->id;
    Inbox<SettleReply> replies;
    std::vector<std::thread> people;
    for (int i = 0; i < 8; ++i) {
        people.emplace_back([&, i] {
            const auto label = i % 2 == 0 ? "Tea" : "Coffee";
            replies.put(*broker.answer(id, choose(label), {.by = fmt::format("person {}", i)}));
        });
    }
    for (std::thread& person : people) person.join();
    const auto settled = ticket.wait();
    int winners = 0;
    for (const SettleReply& reply : replies.await(8)) {
        winners += reply.is_yours ? 1 : 0;
        EXPECT_EQ(*reply.ask->settlement, *(*settled)->settlement);
    }
    EXPECT_EQ(winners, 1);
}

TEST(EmbeddedBroker, ManyThreadsMayAskAndAnswerAtOnce) {
    Broker broker = open_memory();
    std::atomic<int> answered = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int j = 0; j < 50; ++j) {
                const Ticket ticket = broker.ask(tea_or_coffee(fmt::format("session-{}", i)));
                const auto reply = broker.answer((*ticket.opened())->id, choose("Tea"));
                if (reply && reply->is_yours && chosen(ticket.wait()) == "Tea") ++answered;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(answered, 8 * 50);
    EXPECT_THAT(*broker.pending(), SizeIs(0));
}

TEST(EmbeddedBroker, AnInvalidAnswerNamesItsFaultAndTheAskStaysPending) {
    Broker broker = open_memory();
    const AskPtr ask = *broker.ask(tea_or_coffee()).opened();
    const auto refused = broker.answer(ask->id, choose("Milk"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid);
    ASSERT_FALSE(refused.error().faults.empty());
    EXPECT_EQ(refused.error().faults[0].path, "/answers/0/selected/0");
    EXPECT_TRUE((*broker.find(ask->id))->is_pending());
}

TEST(EmbeddedBroker, APartialAnswerIsTakenOnlyWhereItIsAllowed) {
    Broker broker = open_memory();
    AskRequest request = tea_or_coffee();
    request.spec.questions.push_back(
        {.text = "Milk?", .header = "Milk", .options = {{"Yes", ""}, {"No", ""}}});
    const AskPtr ask = *broker.ask(std::move(request)).opened();
    EXPECT_FALSE(broker.answer(ask->id, choose("Tea")));
    EXPECT_TRUE(broker.answer(ask->id, choose("Tea"), {.may_be_partial = true}));
}

TEST(EmbeddedBroker, TheRecordSaysWhoDecidedThroughTheProgram) {
    Broker broker = std::move(*Broker::open({.principal = "deployer"}));
    const AskPtr ask = *broker.ask(tea_or_coffee()).opened();
    EXPECT_EQ(ask->spec->asker, "deployer");
    const auto reply = broker.dismiss(ask->id, {.by = "Ada", .reason = "not now"});
    ASSERT_TRUE(reply);
    const Settlement& settlement = *reply->ask->settlement;
    EXPECT_EQ(settlement.outcome, Outcome::dismissed);
    EXPECT_EQ(settlement.decider.principal, "deployer");
    EXPECT_EQ(settlement.decider.name, "deployer");
    EXPECT_EQ(settlement.decider.claimed, "Ada");
    EXPECT_EQ(settlement.door, "program");
    EXPECT_EQ(settlement.note, "not now");
}

TEST(EmbeddedBroker, EndingASessionWithdrawsItsAsks) {
    Broker broker = open_memory();
    const auto session = broker.open_session({.name = "release", .title = "Release 7"});
    ASSERT_TRUE(session);
    const Ticket mine = broker.ask(tea_or_coffee("release"));
    const Ticket other = broker.ask(tea_or_coffee("elsewhere"));
    ASSERT_TRUE(other.opened());
    EXPECT_EQ((*mine.opened())->session, (*session)->id);
    EXPECT_THAT(*broker.pending(), SizeIs(2));
    ASSERT_TRUE(broker.end_session("release", "shipped"));
    EXPECT_EQ(chosen(mine.wait()), "withdrawn");
    EXPECT_EQ(other.poll(), std::nullopt);
    const auto unknown = broker.end_session("release");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
}

TEST(EmbeddedBroker, AnAskOutlivesTheProcessAndIsFoundByItsKey) {
    const TestFolder folder;
    const std::string url = "sqlite:" + folder.path("asks.db");
    AskRequest request = tea_or_coffee();
    request.spec.key = "deploy-7";
    AskId id;
    {
        auto broker = Broker::open({.store = url});
        ASSERT_TRUE(broker) << broker.error().message;
        id = (*broker->ask(request).opened())->id;
    }
    auto broker = Broker::open({.store = url});
    ASSERT_TRUE(broker) << broker.error().message;
    EXPECT_THAT(*broker->pending(), SizeIs(1));
    const Ticket again = broker->ask(request);
    EXPECT_EQ((*again.opened())->id, id);
    ASSERT_TRUE(broker->answer(id, choose("Tea")));
    EXPECT_EQ(chosen(again.wait()), "Tea");
}

TEST(EmbeddedBroker, AStoreIsHeldByOneBrokerAtATime) {
    const TestFolder folder;
    const std::string url = "sqlite:" + folder.path("asks.db");
    auto first = Broker::open({.store = url});
    ASSERT_TRUE(first);
    const auto second = Broker::open({.store = url});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    first->close();
    EXPECT_TRUE(Broker::open({.store = url}));
}

TEST(EmbeddedBroker, AStoreThatDoesNotExistIsRefusedWithTheFormsThatDo) {
    for (const std::string url : {"", "memory", "memory:x", "sqlite:", "mysql://host"}) {
        const auto broker = Broker::open({.store = url});
        ASSERT_FALSE(broker) << url;
        EXPECT_EQ(broker.error().code, ErrorCode::invalid);
        EXPECT_THAT(broker.error().message, HasSubstr("sqlite:PATH"));
    }
    EXPECT_FALSE(Broker::open({.store = "sqlite:/dev/null/asks.db"}));
}

TEST(EmbeddedBroker, AfterClosingEveryCallIsRefused) {
    Broker broker = open_memory();
    const AskPtr ask = *broker.ask(tea_or_coffee()).opened();
    std::thread other([&] { broker.close(); });
    broker.close();
    other.join();
    EXPECT_EQ(broker.answer(ask->id, choose("Tea")).error().code, ErrorCode::unavailable);
    EXPECT_EQ(broker.withdraw(ask->id).error().code, ErrorCode::unavailable);
    EXPECT_EQ(broker.pending().error().code, ErrorCode::unavailable);
    EXPECT_EQ(broker.open_session().error().code, ErrorCode::unavailable);
    EXPECT_FALSE(broker.watch({}, [](const Frame&) {}));
    broker.set_handler([](const Ask&, const std::stop_token&) { return std::nullopt; });
}

TEST(EmbeddedBroker, WhatWasAskedBeforeClosingIsStillWritten) {
    Broker broker = open_memory();
    std::vector<Ticket> tickets;
    for (int i = 0; i < 100; ++i) tickets.push_back(broker.ask(tea_or_coffee()));
    broker.close();
    for (const Ticket& ticket : tickets) {
        EXPECT_TRUE(ticket.opened());
        EXPECT_EQ(chosen(ticket.wait()), "interrupted");
    }
    EXPECT_EQ(chosen(broker.ask(tea_or_coffee()).wait()), "unavailable");
}

TEST(EmbeddedBroker, AMovedBrokerGoesOnAndAssignmentClosesTheOld) {
    Broker first = open_memory();
    const Ticket ticket = first.ask(tea_or_coffee());
    ASSERT_TRUE(ticket.opened());
    Broker second = std::move(first);
    EXPECT_EQ(ticket.poll(), std::nullopt);
    second = open_memory();
    EXPECT_EQ(chosen(ticket.wait()), "interrupted");
    EXPECT_THAT(*second.pending(), SizeIs(0));
}

}  // namespace
}  // namespace parley::program
