// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/address_options.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

TEST(AddressOptions, AHostIsANameOrAnAddressWithOrWithoutAPort) {
    for (const char* good : {"parley.example.org", "parley.example.org:8443", "127.0.0.1:7373",
                             "[::1]", "[::1]:7373", "my_host"})
        EXPECT_TRUE(check_host(good)) << good;
    for (const char* bad : {"", "https://parley.example.org", "parley.example.org/", "a b", "*",
                            "host:", "host:x", "host:70000", ":7373", "::1"})
        EXPECT_FALSE(check_host(bad)) << bad;
    EXPECT_EQ(check_host("https://x").error().message,
              "https://x: expected HOST or HOST:PORT, like parley.example.org, without http:// and "
              "without a path");
}

TEST(AddressOptions, AnOriginHasASchemeAndNoPath) {
    for (const char* good : {"https://app.example.org", "http://localhost:3000",
                             "http://localhost:*", "http://[::1]:3000", "tauri://localhost"})
        EXPECT_TRUE(check_origin(good)) << good;
    for (const char* bad : {"", "*", "null", "app.example.org", "https://", "https://a/b",
                            "https://a:", "https://a b", "://a"})
        EXPECT_FALSE(check_origin(bad)) << bad;
}

TEST(AddressOptions, ABaseUrlIsAWebAddressWithoutAPath) {
    EXPECT_EQ(check_base_url("https://parley.example.org/").value(), "https://parley.example.org");
    EXPECT_EQ(check_base_url("http://10.0.0.2:7373").value(), "http://10.0.0.2:7373");
    for (const char* bad : {"", "parley.example.org", "ftp://a", "https://a/b", "https://a?x=1",
                            "unix:/tmp/x", "https://"})
        EXPECT_FALSE(check_base_url(bad)) << bad;
}

}  // namespace
}  // namespace parley::app
