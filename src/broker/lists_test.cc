// SPDX-License-Identifier: Apache-2.0
// Lists of asks: what is pending comes from memory, the rest from the store, and nobody's list goes
// through what others asked.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "broker/broker_fixture.h"

namespace parley {
namespace {

class ListsTest : public BrokerTest {
protected:
    AskPtr open_as(const Actor& actor, std::string session = {}) {
        AskPtr opened;
        broker().ask({.spec = spec(), .session = std::move(session)}, kOpenProfile, actor,
                     [&](Result<OpenedAsk> result) { opened = result->ask; });
        process_->settle_down();
        return opened;
    }
    AskPage list(AskQuery query, const Viewer& viewer = kUnrestricted) {
        Result<AskPage> got = reject(ErrorCode::internal, "not called");
        broker().list_asks(std::move(query), viewer,
                           [&](Result<AskPage> page) { got = std::move(page); });
        process_->settle_down();
        EXPECT_TRUE(got) << got.error().message;
        return std::move(*got);
    }
    static std::vector<AskId> ids(const AskPage& page) {
        std::vector<AskId> list;
        for (const AskPtr& ask : page.asks) list.push_back(ask->id);
        return list;
    }

    const Actor other_ = unrestricted_actor("other", "test");
};

TEST_F(ListsTest, WhatIsPendingIsListedWithoutTheStore) {
    const AskId one = open_as(agent_, "one")->id;
    const AskId two = open_as(other_, "two")->id;
    const AskId three = open_as(agent_, "one")->id;
    answer(open_as(agent_, "one")->id, "Tea", ada_);
    const int lists = SharedEngine::ask_lists;
    using Ids = std::vector<AskId>;
    EXPECT_EQ(ids(list({.state = AskState::pending})), (Ids{one, two, three}));
    EXPECT_EQ(ids(list({.state = AskState::pending, .order = ListOrder::newest_first})),
              (Ids{three, two, one}));
    AskPage page = list({.state = AskState::pending, .limit = 2});
    EXPECT_EQ(ids(page), (Ids{one, two}));
    EXPECT_TRUE(page.has_more);
    page = list({.state = AskState::pending, .after = page.last, .limit = 2});
    EXPECT_EQ(ids(page), Ids{three});
    EXPECT_FALSE(page.has_more);
    page = list(
        {.state = AskState::pending, .after = three, .limit = 1, .order = ListOrder::newest_first});
    EXPECT_EQ(ids(page), Ids{two});
    EXPECT_TRUE(page.has_more);
    EXPECT_EQ(ids(list({.state = AskState::pending}, {.principal = "bot"})), (Ids{one, three}));
    const SessionId of_two = broker().find_pending(two, kUnrestricted)->session;
    EXPECT_EQ(ids(list({.state = AskState::pending, .session = of_two})), Ids{two});
    EXPECT_EQ(SharedEngine::ask_lists, lists);
}

TEST_F(ListsTest, APageOfWhatIsPendingEndsAfterSoManyOfOthers) {
    for (std::size_t i = 0; i <= limits::kPendingLooksMax; ++i)
        broker().ask({.spec = spec()}, kOpenProfile,
                     i == 0       ? agent_
                     : i % 2 == 0 ? other_
                                  : bob_,
                     [](auto) {});
    process_->settle_down();
    AskPage page =
        list({.state = AskState::pending, .order = ListOrder::newest_first}, {.principal = "bot"});
    EXPECT_TRUE(page.asks.empty());
    ASSERT_TRUE(page.has_more);
    page = list({.state = AskState::pending, .after = page.last, .order = ListOrder::newest_first},
                {.principal = "bot"});
    EXPECT_EQ(page.asks.size(), 1U);
    EXPECT_FALSE(page.has_more);
}

TEST_F(ListsTest, AnAgentsSettledAsksAreFoundWithoutThoseOfOthers) {
    const AskId own = open_as(agent_)->id;
    answer(own, "Tea", ada_);
    for (int i = 0; i < 300; ++i) answer(open_as(other_)->id, "Tea", ada_);
    for (const auto order :
         {ListOrder::oldest_first, ListOrder::newest_first, ListOrder::last_settled_first}) {
        const AskPage page = list({.limit = 10, .order = order}, {.principal = "bot"});
        EXPECT_EQ(ids(page), std::vector<AskId>{own});
        EXPECT_EQ(page.hidden, 0U);
        EXPECT_FALSE(page.has_more);
    }
}

TEST_F(ListsTest, TheLastSettlementComesFirst) {
    std::vector<AskId> asks;
    for (int i = 0; i < 3; ++i) asks.push_back(open_as(agent_)->id);
    for (const std::size_t i : {1U, 0U, 2U}) answer(asks[i], "Tea", ada_);
    AskPage page = list({.limit = 2, .order = ListOrder::last_settled_first});
    EXPECT_EQ(ids(page), (std::vector<AskId>{asks[2], asks[0]}));
    page = list({.after = page.last, .order = ListOrder::last_settled_first});
    EXPECT_EQ(ids(page), std::vector<AskId>{asks[1]});
}

}  // namespace
}  // namespace parley
