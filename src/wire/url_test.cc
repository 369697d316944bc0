// SPDX-License-Identifier: Apache-2.0
#include "wire/url.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"
#include "wire/limits.h"

namespace parley::wire {
namespace {

TEST(Percent, DecodesStrictly) {
    EXPECT_EQ(percent_decode("a%20b%2Fc+d"), "a b/c+d");
    EXPECT_EQ(form_decode("a%20b+c"), "a b c");
    for (const auto* wrong : {"%", "%2", "%zz", "a%2", "%00", "%%20"}) {
        EXPECT_EQ(percent_decode(wrong), std::nullopt) << wrong;
    }
}

RC_GTEST_PROP(PercentProperty, EncodingComesBack, (const std::string& text)) {
    RC_PRE(text.find('\0') == std::string::npos);
    RC_ASSERT(percent_decode(percent_encode(text)) == text);
    RC_ASSERT(form_decode(percent_encode(text)) == text);
}

TEST(Target, IsSplitWithoutDecoding) {
    const auto plain = split_target("/v1/asks%2F?wait=3&x=?");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->path, "/v1/asks%2F");
    EXPECT_EQ(plain->query, "wait=3&x=?");
    const auto absolute = split_target("HTTP://host:80/a?b");
    ASSERT_TRUE(absolute);
    EXPECT_EQ(absolute->authority, "host:80");
    EXPECT_EQ(absolute->path, "/a");
    EXPECT_EQ(split_target("http://host?q")->path, "/");
    EXPECT_EQ(split_target("http://host?q")->query, "q");
    EXPECT_EQ(split_target("*")->path, "*");
    for (const auto* wrong : {"", "a", "host:443", "http://", "http:///x", "/a#b", "ftp://x/"}) {
        EXPECT_FALSE(split_target(wrong)) << wrong;
    }
}

TEST(Query, IsDecodedInOrder) {
    const auto query = Query::parse("a=1&b=x+y%26z&&c&a=2&=v");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->get("a"), "1");
    EXPECT_EQ(query->get("b"), "x y&z");
    EXPECT_EQ(query->find("c"), "");
    EXPECT_EQ(query->find("d"), std::nullopt);
    EXPECT_EQ(query->all().size(), 5U);
    EXPECT_FALSE(Query::parse("a=%zz"));
    EXPECT_FALSE(Query::parse("%=1"));
}

TEST(Query, HasALimit) {
    std::string text;
    for (std::size_t i = 0; i < limits::kQueryParameters; ++i) text += fmt::format("a{}=1&", i);
    EXPECT_TRUE(Query::parse(text));
    EXPECT_EQ(Query::parse(text + "b=1").error().code, ErrorCode::too_large);
}

TEST(Url, KnowsTheThreeKindsOfAddress) {
    const auto http = Url::parse("http://localhost:7373/base?x");
    ASSERT_TRUE(http);
    EXPECT_EQ(http->host, "localhost");
    EXPECT_EQ(http->port, 7373);
    EXPECT_EQ(http->target, "/base?x");
    EXPECT_EQ(http->host_field(), "localhost:7373");
    const auto tls = Url::parse("HTTPS://[::1]");
    ASSERT_TRUE(tls);
    EXPECT_EQ(tls->scheme, Url::Scheme::tls);
    EXPECT_EQ(tls->port, 443);
    EXPECT_EQ(tls->host_field(), "[::1]");
    EXPECT_EQ(tls->str(), "https://[::1]");
    const auto local = Url::parse("unix:/run/user/1000/parley.sock");
    ASSERT_TRUE(local);
    EXPECT_EQ(local->socket_path, "/run/user/1000/parley.sock");
    EXPECT_EQ(local->host_field(), "localhost");
    EXPECT_EQ(Url::parse("unix:///tmp/s")->socket_path, "/tmp/s");
}

TEST(Url, RefusesWhatItCannotReach) {
    for (const auto* wrong :
         {"", "localhost:7373", "ftp://x", "http://", "http://:80", "http://a:0", "http://a:65536",
          "http://a:b", "http://user:pw@host/", "http://[::1", "http://[::1]x", "http://[[::1]:5/",
          "http://[a]:5/", "http://a b/", "http://a\r\nX: y", "http://a\xff/",
          "unix:", "http://a/b c", "http://a/\r\nX: y"}) {
        EXPECT_FALSE(Url::parse(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace parley::wire
