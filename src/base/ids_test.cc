// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <string>

namespace parley {
namespace {

Instant at_ms(std::int64_t ms) {
    return Instant(Millis(ms));
}

IdMaker seeded(std::uint64_t seed) {
    return IdMaker([random = std::mt19937_64(seed)]() mutable { return random(); });
}

// The text form is the prefix and 26 characters, and reads back.
TEST(Ids, TextFormReadsBack) {
    IdMaker maker = seeded(1);
    const auto id = maker.next<AskKind>(at_ms(1'800'000'000'000));
    const std::string text = id.str();
    EXPECT_EQ(text.size(), 30u);
    EXPECT_TRUE(text.starts_with("que_"));
    EXPECT_EQ(AskId::parse(text), id);
    EXPECT_FALSE(SessionId::parse(text));
}

TEST(Ids, ExtremeBitsReadBack) {
    for (const IdBits bits : {IdBits{}, IdBits{1, 0}, IdBits{0, 1},
                              IdBits{std::numeric_limits<std::uint64_t>::max(),
                                     std::numeric_limits<std::uint64_t>::max()}}) {
        EXPECT_EQ(AskId::parse(AskId(bits).str()), AskId(bits));
    }
}

TEST(Ids, WrongTextIsRefused) {
    const std::string good = AskId(IdBits{7, 9}).str();
    for (std::string bad :
         {std::string(), std::string("que_"), good.substr(0, 29), good + "0",
          "QUE_" + good.substr(4), "que_8" + good.substr(5), good.substr(0, 29) + "u",
          good.substr(0, 29) + "U", good.substr(0, 29) + std::string(1, '\0')}) {
        EXPECT_FALSE(AskId::parse(bad)) << bad;
    }
}

// Strings ascend with the order of making, whatever the clock does.
TEST(Ids, AscendAsStringsThoughTheClockStepsBack) {
    IdMaker maker = seeded(2);
    std::mt19937_64 random(3);
    std::string last;
    std::int64_t now = 1'800'000'000'000;
    for (int i = 0; i < 100'000; ++i) {
        now += static_cast<std::int64_t>(random() % 7) - 3;
        if (i % 1000 == 0) now -= 3'600'000;
        const std::string text = maker.next<EventKind>(at_ms(now)).str();
        ASSERT_LT(last, text);
        last = text;
    }
}

TEST(Ids, StartAboveWhatAStoreHolds) {
    IdMaker before = seeded(4);
    const auto highest = before.next<AskKind>(at_ms(2'000'000'000'000));
    IdMaker after = seeded(5);
    after.raise_above(highest);
    EXPECT_GT(after.next<AskKind>(at_ms(1'000'000'000'000)).str(), highest.str());
}

TEST(Ids, AFullCounterCarriesIntoTheNextMillisecond) {
    IdMaker maker = seeded(6);
    maker.raise_above(AskId(IdBits{.high = (1000U << 16U) | 0xffffU,
                                   .low = std::numeric_limits<std::uint64_t>::max()}));
    const auto next = maker.next<AskKind>(at_ms(1000));
    EXPECT_EQ(next.bits().high >> 16U, 1001u);
}

TEST(Ids, SystemRandomDoesNotRepeat) {
    RandomBits random = system_random();
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(random());
    EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace parley
