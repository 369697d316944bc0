// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/round_state.h"

#include <gtest/gtest.h>

#include "base/properties_test.h"

namespace parley::mcp {
namespace {

constexpr Instant kNow{Millis(1'000'000)};
const Seal kSeal{.key = "key", .principal = "bot"};

RoundState state() {
    return {.ask = *AskId::parse("que_01k0000000abcdefghjkmnpqrs"),
            .round = 3,
            .expires = kNow + std::chrono::hours(1),
            .digest = digest_of("{}")};
}

TEST(RoundState, ComesBackAsItWasSigned) {
    const auto back = verify(sign(state(), kSeal), kSeal, kNow);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->ask, state().ask);
    EXPECT_EQ(back->round, 3);
    EXPECT_EQ(back->expires, state().expires);
    EXPECT_EQ(back->digest, state().digest);
}

TEST(RoundState, IsNobodyElses) {
    const std::string text = sign(state(), kSeal);
    EXPECT_FALSE(verify(text, {.key = "other", .principal = "bot"}, kNow));
    EXPECT_FALSE(verify(text, {.key = "key", .principal = "eve"}, kNow));
    EXPECT_FALSE(verify(text, kSeal, kNow + std::chrono::hours(2)));
    EXPECT_FALSE(verify("", kSeal, kNow));
}

RC_GTEST_PROP(RoundState, NoByteOfItCanBeChanged, ()) {
    const std::string text = sign(state(), kSeal);
    std::string forged = text;
    forged[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    RC_ASSERT(verify(forged, kSeal, kNow).has_value() == (forged == text));
}

}  // namespace
}  // namespace parley::mcp
