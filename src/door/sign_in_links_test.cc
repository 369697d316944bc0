// SPDX-License-Identifier: Apache-2.0
#include "door/sign_in_links.h"

#include <gtest/gtest.h>

#include <chrono>

namespace parley {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1h};
const Invitation kAda{.role = Role::owner,
                      .principal = "prn_ada",
                      .person = "Ada\nLovelace",
                      .is_known = true,
                      .expires_at = kNow + 1min};

TEST(SignInLinks, SayWhomTheyInvite) {
    const auto read = read_invitation(write_invitation(kAda, "key"), "key", kNow);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->role, kAda.role);
    EXPECT_EQ(read->principal, kAda.principal);
    EXPECT_EQ(read->person, kAda.person);
    EXPECT_TRUE(read->is_known);
    EXPECT_EQ(read->expires_at, kAda.expires_at);
    EXPECT_NE(write_invitation(kAda, "key"), write_invitation(kAda, "key"));
}

TEST(SignInLinks, AreNoneOfAnotherKeyOrPastTheirTimeOrChanged) {
    const std::string secret = write_invitation(kAda, "key");
    EXPECT_FALSE(read_invitation(secret, "other", kNow));
    EXPECT_FALSE(read_invitation(secret, "key", kAda.expires_at));
    for (std::size_t at = 0; at < secret.size(); ++at) {
        std::string changed = secret;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(read_invitation(changed, "key", kNow)) << at;
        EXPECT_FALSE(read_invitation(secret.substr(0, at), "key", kNow)) << at;
    }
}

}  // namespace
}  // namespace parley
