// SPDX-License-Identifier: Apache-2.0
#include "base/unique_function.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace parley {
namespace {

TEST(UniqueFunction, OwnsWhatItCaptures) {
    auto owned = std::make_unique<int>(7);
    UniqueFunction<int()> function = [owned = std::move(owned)] { return *owned; };
    UniqueFunction<int()> moved = std::move(function);
    EXPECT_FALSE(function);  // NOLINT(bugprone-use-after-move): moved-from is empty by contract
    EXPECT_EQ(moved(), 7);
}

// Both kinds of storage destroy their callable exactly once.
TEST(UniqueFunction, DestroysOnceWhetherSmallOrLarge) {
    const auto token = std::make_shared<int>(0);
    {
        UniqueFunction<void()> small = [token] {};
        UniqueFunction<void()> large = [token, bulk = std::array<char, 200>{}] { (void)bulk; };
        EXPECT_EQ(token.use_count(), 3);
        UniqueFunction<void()> other = std::move(large);
        EXPECT_EQ(token.use_count(), 3);
        small = std::move(other);
        EXPECT_EQ(token.use_count(), 2);
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST(UniqueFunction, PassesMoveOnlyArguments) {
    UniqueFunction<int(std::unique_ptr<int>)> function = [](std::unique_ptr<int> p) { return *p; };
    EXPECT_EQ(function(std::make_unique<int>(3)), 3);
}

TEST(UniqueFunctionDeathTest, CallingAnEmptyOneIsABug) {
    UniqueFunction<void()> empty;
    EXPECT_DEATH(empty(), "assertion failed");
}

}  // namespace
}  // namespace parley
