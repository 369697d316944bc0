// SPDX-License-Identifier: Apache-2.0
#include "broker/deadlines.h"

#include <gtest/gtest.h>

#include <set>

namespace parley {

namespace {

using namespace std::chrono_literals;

AskId ask(std::uint64_t number) {
    return AskId(IdBits{.high = number});
}

}  // namespace

// Asks of an agent that waits for years and is answered within minutes.
TEST(Deadlines, SettledAsksLeaveBeforeTheirTime) {
    Deadlines deadlines;
    std::set<AskId> pending;
    for (std::uint64_t number = 1; number <= 10'000; ++number) {
        pending.insert(ask(number));
        deadlines.push(Mono(87'600h), ask(number));
        if (number % 100 == 0) continue;
        pending.erase(ask(number));
        deadlines.settled([&](AskId id) { return pending.contains(id); });
        ASSERT_LE(deadlines.size(), 2 * pending.size() + 1);
    }
    EXPECT_EQ(pending.size(), 100U);
}

TEST(Deadlines, WhoIsPendingStaysInTheOrderOfTime) {
    Deadlines deadlines;
    for (std::uint64_t number = 1; number <= 9; ++number)
        deadlines.push(Mono(std::chrono::seconds((number * 7) % 10)), ask(number));
    const auto is_odd = [](AskId id) { return id.bits().high % 2 == 1; };
    for (int i = 0; i < 5; ++i) deadlines.settled(is_odd);
    EXPECT_EQ(deadlines.size(), 5U);
    EXPECT_EQ(deadlines.earliest(), Mono(1s));
    EXPECT_EQ(deadlines.pop_due(Mono(0s)), std::nullopt);
    for (const std::uint64_t number : {3U, 9U, 5U, 1U, 7U})
        EXPECT_EQ(deadlines.pop_due(Mono(1min)), ask(number));
    EXPECT_EQ(deadlines.earliest(), std::nullopt);
}

}  // namespace parley
