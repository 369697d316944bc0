// SPDX-License-Identifier: Apache-2.0
#include "net/secret.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

TEST(Secret, HashesAsFips180Says) {
    EXPECT_EQ(sha1("abc"),
              "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d");
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// The first and the sixth case of RFC 4231: a short key, and one longer than a block.
TEST(Secret, SignsAsRfc4231Says) {
    EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'),
                              "Test Using Larger Than Block-Size Key - Hash Key First"),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secret, SecretsAreLongAndDiffer) {
    const std::string secret = random_secret();
    EXPECT_EQ(secret.size(), 43u);
    EXPECT_NE(secret, random_secret());
}

}  // namespace
}  // namespace parley::net
