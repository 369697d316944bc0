// SPDX-License-Identifier: Apache-2.0
#include "wire/header_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/properties_test.h"

namespace parley::wire {
namespace {

TEST(HeaderText, FindsElementsOfListsOutsideQuotes) {
    for (const auto* element : {"a", "b", "\"c, d\"", "e"})
        EXPECT_TRUE(list_contains(" a, b ,,\"c, d\" , e", element)) << element;
    EXPECT_FALSE(list_contains("\"c, d\"", "d\""));
    EXPECT_FALSE(list_contains(R"("a\", b", c)", "b\""));
    EXPECT_TRUE(list_contains("keep-alive, Upgrade", "upgrade"));
    EXPECT_FALSE(list_contains("upgraded", "upgrade"));
}

TEST(HeaderText, RecognisesMediaTypes) {
    EXPECT_TRUE(is_media_type("application/json", "application/json"));
    EXPECT_TRUE(is_media_type("Application/JSON ; charset=utf-8", "application/json"));
    EXPECT_TRUE(is_media_type("application/json, application/json", "application/json"));
    EXPECT_FALSE(is_media_type("application/json-patch", "application/json"));
    EXPECT_FALSE(is_media_type("text/plain; x=application/json", "application/json"));
    EXPECT_FALSE(is_media_type("", "application/json"));
}

TEST(HeaderText, WeighsAccept) {
    EXPECT_EQ(accept_quality("", "text/html"), 1000);
    EXPECT_EQ(accept_quality("text/html, */*;q=0.8", "text/html"), 1000);
    EXPECT_EQ(accept_quality("text/html, */*;q=0.8", "application/json"), 800);
    EXPECT_EQ(accept_quality("text/*;q=0.3, text/html;q=0.7", "text/html"), 700);
    EXPECT_EQ(accept_quality("text/html;q=0, */*", "text/html"), 0);
    EXPECT_EQ(accept_quality("application/json", "text/event-stream"), 0);
    EXPECT_EQ(accept_quality("application/json;q=0.125", "application/json"), 125);
    EXPECT_EQ(accept_quality("a/b;q=\"x,y\";q=0.5", "a/b"), 500);
}

TEST(HeaderText, FindsCookies) {
    EXPECT_EQ(find_cookie("a=1; token=abc=; b=\"2\"", "token"), "abc=");
    EXPECT_EQ(find_cookie("a=1; b=\"2\"", "b"), "2");
    EXPECT_EQ(find_cookie("xtoken=1", "token"), std::nullopt);
    EXPECT_EQ(find_cookie("token", "token"), std::nullopt);
    EXPECT_EQ(find_cookie("t=first; t=second", "t"), "first");
}

TEST(HeaderText, ReadsCredentials) {
    EXPECT_EQ(bearer_token("bearer  abc"), "abc");
    EXPECT_EQ(bearer_token("Bearer"), std::nullopt);
    EXPECT_EQ(bearer_token("Basic abc"), std::nullopt);
    const auto basic = basic_credentials("BASIC b3BlbmNvZGU6c2U6Y3JldA==");
    ASSERT_TRUE(basic);
    EXPECT_EQ(basic->user, "opencode");
    EXPECT_EQ(basic->password, "se:cret");
    EXPECT_FALSE(basic_credentials("Basic !!!!"));
    EXPECT_FALSE(basic_credentials("Basic YWJj")) << "no colon";
}

TEST(HeaderText, Base64HasOneFormOnly) {
    EXPECT_EQ(base64_encode("f"), "Zg==");
    EXPECT_EQ(base64_encode("fo"), "Zm8=");
    EXPECT_EQ(base64_encode("foo"), "Zm9v");
    for (const auto* wrong : {"Zg=", "Zg", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9v\n"}) {
        EXPECT_EQ(base64_decode(wrong), std::nullopt) << wrong;
    }
}

RC_GTEST_PROP(HeaderTextProperty, Base64ComesBack, (const std::string& bytes)) {
    RC_ASSERT(base64_decode(base64_encode(bytes)) == bytes);
}

}  // namespace
}  // namespace parley::wire
