// SPDX-License-Identifier: Apache-2.0
#include "base/turns.h"

#include <gtest/gtest.h>

#include <vector>

namespace parley {
namespace {

TEST(Turns, AreTakenInOrderAndNoMoreThanThereAre) {
    Turns turns(2);
    std::vector<int> begun;
    for (int i = 0; i < 5; ++i) turns.take([&begun, i] { begun.push_back(i); });
    EXPECT_EQ(begun, (std::vector{0, 1}));
    turns.give_back();
    EXPECT_EQ(begun, (std::vector{0, 1, 2}));
    turns.forget_waiting();
    turns.give_back();
    turns.give_back();
    EXPECT_EQ(begun.size(), 3U);
    for (int i = 5; i < 8; ++i) turns.take([&begun, i] { begun.push_back(i); });
    EXPECT_EQ(begun, (std::vector{0, 1, 2, 5, 6}));
}

}  // namespace
}  // namespace parley
