// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/modern_outlet.h"

#include <gtest/gtest.h>

namespace parley::mcp {
namespace {

TEST(ModernOutlet, TooManyCallsAreTheHttpStatusThatSaysSo) {
    EXPECT_EQ(http_status(kTooManyCalls), 429);
}

}  // namespace
}  // namespace parley::mcp
