// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/local_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace parley::app {
namespace {

using std::chrono::hours;
using ::testing::MatchesRegex;

// Noon in the zone of Greenwich: a day before and a day after are other days in every zone.
const Instant kNoon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 17} + hours(12)};

TEST(LocalTime, OfTodayIsATimeAlone) {
    EXPECT_THAT(local_time_at(kNoon, kNoon), MatchesRegex("[0-9][0-9]:[0-9][0-9]"));
}

TEST(LocalTime, OfAnotherDayHasItsDate) {
    const std::string time = local_time_at(kNoon, kNoon);
    EXPECT_THAT(local_time_at(kNoon - hours(24), kNoon), MatchesRegex("2026-11-1[5-7] " + time));
    EXPECT_THAT(local_time_at(kNoon + hours(24), kNoon), MatchesRegex("2026-11-1[7-9] " + time));
    EXPECT_THAT(local_time_at(kNoon - hours(24 * 365), kNoon),
                MatchesRegex("2025-11-1[6-8] " + time))
        << "the same day of another year";
}

}  // namespace
}  // namespace parley::app
