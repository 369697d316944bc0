// SPDX-License-Identifier: Apache-2.0
#include "base/lifetime.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "base/unique_function.h"

namespace parley {
namespace {

TEST(Lifetime, AGuardedCallbackDoesNothingOnceItsOwnerIsGone) {
    std::optional<Lifetime> alive(std::in_place);
    int sum = 0;
    UniqueFunction<void(int)> add = alive->guard([&sum](int value) { sum += value; });
    add(2);
    alive.reset();
    add(40);
    EXPECT_EQ(sum, 2);
}

TEST(Lifetime, ACallbackMayEndItsOwnerAndGoOn) {
    auto alive = std::make_unique<Lifetime>();
    const auto end = alive->watch();
    bool was_gone = false;
    auto leave = alive->guard([&alive, &was_gone, &end] {
        alive.reset();
        was_gone = end.expired();
    });
    leave();
    EXPECT_TRUE(was_gone);
}

TEST(Lifetime, MoveOnlyValuesPassThrough) {
    Lifetime alive;
    int taken = 0;
    UniqueFunction<void(std::unique_ptr<int>)> take =
        alive.guard([held = std::make_unique<int>(1), &taken](std::unique_ptr<int> value) {
            taken = *held + *value;
        });
    take(std::make_unique<int>(2));
    EXPECT_EQ(taken, 3);
}

TEST(Lifetime, EndsEarlyWhenToldTo) {
    Lifetime alive;
    int calls = 0;
    auto count = alive.guard([&calls] { ++calls; });
    alive.end();
    count();
    EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace parley
