// SPDX-License-Identifier: Apache-2.0
#include "app/serve/own_name.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

bool is_here(ResolverFiles files) {
    return is_answered_here(kOwnName, files);
}

// Debian as it is installed asks the network for every name that /etc/hosts does not have.
TEST(OwnName, IsNotLookedForInTheNetwork) {
    EXPECT_FALSE(is_here({.hosts = "127.0.0.1 localhost\n",
                          .name_switch = "passwd: files\nhosts: files dns myhostname\n",
                          .resolver = "nameserver 192.0.2.1\n"}));
    EXPECT_FALSE(is_here({.hosts = "", .name_switch = "", .resolver = ""}));
    EXPECT_FALSE(is_here({.hosts = "# 127.0.0.1 parley.localhost\n127.0.0.1 parley.localhost.lan\n",
                          .name_switch = "hosts: files dns\n",
                          .resolver = "nameserver 127.0.0.1\nnameserver 192.0.2.1\n"}));
}

TEST(OwnName, IsAnsweredHereByTheHostsFileOrSystemdOrALocalResolver) {
    EXPECT_TRUE(is_here({.hosts = "127.0.0.1\tlocalhost parley.localhost # ours\n",
                         .name_switch = "",
                         .resolver = ""}));
    EXPECT_TRUE(is_here({.hosts = "",
                         .name_switch = "hosts: files myhostname resolve [!UNAVAIL=return] dns\n",
                         .resolver = "nameserver 192.0.2.1\n"}));
    EXPECT_TRUE(is_here({.hosts = "",
                         .name_switch = "hosts: files dns\n",
                         .resolver = "# stub\nnameserver 127.0.0.53\noptions edns0\n"}));
}

}  // namespace
}  // namespace parley::app
