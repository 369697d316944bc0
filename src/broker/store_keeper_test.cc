// SPDX-License-Identifier: Apache-2.0
// Housekeeping in simulated time.
#include "broker/store_keeper.h"

#include "broker/broker_fixture.h"

namespace parley {
namespace {

class StoreKeeperTest : public BrokerTest {
protected:
    std::unique_ptr<StoreKeeper> keeper(KeepTimes times = {}) {
        return std::make_unique<StoreKeeper>(
            StoreKeeper::Wiring{process_->home, clock_, process_->store,
                                [] { return std::uint64_t{7}; }, "memory:"},
            times);
    }
    AskPtr settled(const char* text) {
        const AskPtr ask = open({.spec = spec(text)});
        EXPECT_TRUE(answer(ask->id, "Tea", ada_));
        return ask;
    }
};

TEST_F(StoreKeeperTest, RemovesWhatIsOlderThanTheSetting) {
    const auto keeping = keeper({.asks = std::chrono::hours(1)});
    keeping->start();
    const AskPtr old = settled("Old?");
    const AskPtr pending = open({.spec = spec("Pending?")});
    pass(std::chrono::minutes(45));
    const AskPtr recent = settled("Recent?");
    EXPECT_NE(stored(old->id), nullptr);
    pass(std::chrono::minutes(30));
    EXPECT_EQ(stored(old->id), nullptr);
    EXPECT_NE(stored(pending->id), nullptr);
    EXPECT_NE(stored(recent->id), nullptr);
}

TEST_F(StoreKeeperTest, KeepsAllWithoutASettingAndAfterItsEnd) {
    keeper()->start();
    auto ended = keeper({.asks = std::chrono::minutes(1)});
    ended->start();
    ended.reset();
    const AskPtr old = settled("Old?");
    open({.spec = spec("Pending?")});
    pass(std::chrono::hours(2));
    EXPECT_NE(stored(old->id), nullptr);
}

TEST_F(StoreKeeperTest, PrunesOnceWhenItIsAsked) {
    const auto keeping = keeper();
    const AskPtr old = settled("Old?");
    open({.spec = spec("Pending?")});
    clock_.advance(std::chrono::seconds(1));
    std::optional<Result<Pruned>> pruned;
    keeping->prune({.asks = clock_.wall()}, [&](Result<Pruned> told) { pruned = std::move(told); });
    process_->settle_down();
    ASSERT_TRUE(pruned && *pruned);
    EXPECT_EQ((*pruned)->asks, 1U);
    EXPECT_FALSE((*pruned)->has_more);
    EXPECT_EQ(stored(old->id), nullptr);
}

TEST_F(StoreKeeperTest, SaysThatAStoreInMemoryHasNoCopy) {
    const auto keeping = keeper();
    ErrorCode begun = ErrorCode::internal;
    ErrorCode read = ErrorCode::internal;
    keeping->begin_copy([&](const Result<StoreKeeper::Copy>& copy) { begun = copy.error().code; });
    keeping->read_copy("7", 0, [&](const Result<std::string>& text) { read = text.error().code; });
    process_->settle_down();
    EXPECT_EQ(begun, ErrorCode::unsupported);
    EXPECT_EQ(read, ErrorCode::not_found);
}

}  // namespace
}  // namespace parley
