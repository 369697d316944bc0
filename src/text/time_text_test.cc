// SPDX-License-Identifier: Apache-2.0
#include "text/time_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"

namespace parley {
namespace {

using testing::HasSubstr;

Instant at_ms(std::int64_t ms) {
    return Instant(Millis(ms));
}

constexpr std::int64_t kYearZero = -62'167'219'200'000;
constexpr std::int64_t kYearTenThousand = 253'402'300'800'000;

TEST(Rfc3339, IsWrittenInUtcWithMilliseconds) {
    EXPECT_EQ(format_rfc3339(at_ms(0)), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_rfc3339(at_ms(1'794'751'402'123)), "2026-11-15T14:03:22.123Z");
    EXPECT_EQ(format_rfc3339(at_ms(-1)), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339(at_ms(1'709'210'096'007)), "2024-02-29T12:34:56.007Z");
}

TEST(Rfc3339, WhatHasNoFourDigitYearIsClamped) {
    EXPECT_EQ(format_rfc3339(Instant::max()), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(format_rfc3339(Instant::min()), "0000-01-01T00:00:00.000Z");
}

TEST(Rfc3339, EveryAllowedFormIsRead) {
    const Instant whole = at_ms(1'794'751'402'000);
    for (const std::string_view text :
         {"2026-11-15T14:03:22Z", "2026-11-15t14:03:22z", "2026-11-15 14:03:22Z",
          "2026-11-15T14:03:22.0Z", "2026-11-15T14:03:22.0009Z", "2026-11-15T15:03:22+01:00",
          "2026-11-15T08:33:22-05:30", "2026-11-16T13:03:22+23:00", "2026-11-15T14:03:22-00:00"}) {
        EXPECT_EQ(parse_rfc3339(text), whole) << text;
    }
    EXPECT_EQ(parse_rfc3339("2026-11-15T14:03:22.1Z"), whole + Millis(100));
    EXPECT_EQ(parse_rfc3339("2026-11-15T14:03:22.123999999999Z"), whole + Millis(123));
    EXPECT_EQ(parse_rfc3339("1969-12-31T23:59:59.9999Z"), at_ms(-1));
    EXPECT_EQ(parse_rfc3339("2016-12-31T23:59:60Z"), parse_rfc3339("2017-01-01T00:00:00Z"));
}

TEST(Rfc3339, EverythingElseIsRefused) {
    for (const std::string_view bad :
         {"", "2026", "2026-11-15", "2026-11-15T14:03Z", "2026-11-15T14:03:22",
          "2026-11-15T14:03:22.Z", "2026-11-15T14:03:22,5Z", "2026-11-15T14:03:22+0100",
          "2026-11-15T14:03:22+01", "2026-11-15T14:03:22Zx", " 2026-11-15T14:03:22Z",
          "2026-11-15T14:03:22ZZ", "+026-11-15T14:03:22Z", "2026-1-15T14:03:22Z",
          "26-11-15T14:03:22Z", "2026/11/15T14:03:22Z", "2026-11-15X14:03:22Z",
          "2026-11-15T14:03:22+1:00"}) {
        EXPECT_FALSE(parse_rfc3339(bad)) << bad;
    }
    EXPECT_FALSE(parse_rfc3339(std::string_view("2026-11-15T14:03:22Z\0", 21)));
    for (const std::string_view bad :
         {"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
          "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
          "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00+24:00",
          "2026-01-01T00:00:00+00:60"}) {
        ASSERT_FALSE(parse_rfc3339(bad)) << bad;
        EXPECT_EQ(parse_rfc3339(bad).error().message, "no such date or time of day") << bad;
    }
    EXPECT_FALSE(parse_rfc3339("0000-01-01T00:00:00+00:01"));
    EXPECT_FALSE(parse_rfc3339("9999-12-31T23:59:59-00:01"));
}

RC_GTEST_PROP(Rfc3339, AnyTimeReadsBackAsItself, ()) {
    const Instant at = at_ms(*rc::gen::inRange(kYearZero, kYearTenThousand));
    RC_ASSERT(parse_rfc3339(format_rfc3339(at)) == at);
}

TEST(Duration, EveryUnitIsRead) {
    using namespace std::chrono_literals;
    EXPECT_EQ(parse_duration("90"), 90s);
    EXPECT_EQ(parse_duration("90s"), 90s);
    EXPECT_EQ(parse_duration("10m"), 10min);
    EXPECT_EQ(parse_duration("1h30m"), 90min);
    EXPECT_EQ(parse_duration("2d"), 48h);
    EXPECT_EQ(parse_duration("1500ms"), 1500ms);
    EXPECT_EQ(parse_duration("1d2h3m4s5ms"), 24h + 2h + 3min + 4s + 5ms);
    EXPECT_EQ(parse_duration("007s"), 7s);
    EXPECT_EQ(parse_duration("3660d"), 3660 * 24h);
}

TEST(Duration, EverythingElseIsRefused) {
    for (const std::string_view bad :
         {"",     " ",     "s",    "m5",   "-5",   "-5s",   "+5",
          "1.5h", "1e3",   "5 m",  " 5m",  "5m ",  "5x",    "5min",
          "5M",   "30m1h", "1h1h", "1h30", "5mss", "1h-5m", "99999999999999999999s"}) {
        EXPECT_FALSE(parse_duration(bad)) << bad;
    }
    for (const std::string_view zero : {"0", "0s", "0h0m"})
        EXPECT_THAT(parse_duration(zero).error().message, HasSubstr("more than zero"));
    for (const std::string_view large : {"3661d", "3660d1ms", "9223372036854775807d", "400000000"})
        EXPECT_THAT(parse_duration(large).error().message, HasSubstr("longer than 3660 days"));
}

TEST(Duration, IsWrittenInTwoUnitsAtMost) {
    using namespace std::chrono_literals;
    EXPECT_EQ(format_duration(12s), "12 s");
    EXPECT_EQ(format_duration(3min), "3 min");
    EXPECT_EQ(format_duration(3min + 20s), "3 min 20 s");
    EXPECT_EQ(format_duration(2h + 5min + 59s), "2 h 5 min");
    EXPECT_EQ(format_duration(2h + 59s), "2 h");
    EXPECT_EQ(format_duration(96h), "4 d");
    EXPECT_EQ(format_duration(99h), "4 d 3 h");
    EXPECT_EQ(format_duration(59'999ms), "59 s");
    EXPECT_EQ(format_duration(999ms), "0 s");
    EXPECT_EQ(format_duration(-5s), "0 s");
    EXPECT_EQ(format_duration(Millis::min()), "0 s");
    EXPECT_EQ(format_duration(Millis::max()), "106751991167 d 7 h");
}

}  // namespace
}  // namespace parley
