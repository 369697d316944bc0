// SPDX-License-Identifier: Apache-2.0
#include "app/serve/resource_options.h"

#include <gtest/gtest.h>

#include "app/serve/memory_watch.h"
#include "net/process_stats.h"

namespace parley::app {
namespace {

TEST(ResourceOptions, SizesAreReadWithTheirUnit) {
    EXPECT_EQ(parse_bytes("65536"), 65536U);
    EXPECT_EQ(parse_bytes("4K"), 4096U);
    EXPECT_EQ(parse_bytes("512M"), 512U * 1024 * 1024);
    EXPECT_EQ(parse_bytes("2G"), 2048ULL * 1024 * 1024);
    for (const auto* text : {"", "M", "0", "-1", "1T", "1.5G", "99999999999999999999G", "12 M"})
        EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(ResourceOptions, TheMachineHasMemoryAndThisUsesSome) {
    EXPECT_GT(net::read_resident_bytes(), 1'000'000U);
    EXPECT_GT(memory_of_machine(), net::read_resident_bytes());
}

TEST(MemoryWatch, GoesOnOnlyWellBelowItsBound) {
    MemoryWatch watch(1000);
    EXPECT_FALSE(watch.is_short(900));
    EXPECT_TRUE(watch.is_short(901));
    EXPECT_TRUE(watch.is_short(850));
    EXPECT_FALSE(watch.is_short(800));
    EXPECT_FALSE(watch.is_short(900));
}

}  // namespace
}  // namespace parley::app
