// SPDX-License-Identifier: Apache-2.0
// Tokens on the wire: what one side writes, the other reads.
#include "dialect/native/owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::native {
namespace {

using ::testing::ElementsAre;

constexpr Instant kNow{Millis(1'700'000'000'000)};

std::vector<std::string> faults_of(std::string_view body) {
    const auto read = read_token(body);
    std::vector<std::string> faults;
    if (read) return faults;
    for (const auto& fault : read.error().faults)
        faults.push_back(fault.path + ": " + fault.detail);
    return faults;
}

TEST(NativeToken, ARequestIsReadAsItWasWritten) {
    const TokenBody body{.name = "phone", .role = Role::agent, .life = Millis(90'500)};
    const auto read = read_token(token_request(body));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, "phone");
    EXPECT_EQ(read->role, Role::agent);
    EXPECT_EQ(read->life, Millis(90'500));
}

TEST(NativeToken, WithoutARoleItIsAResponderWithoutAnEnd) {
    const auto read = read_token(R"({"name":"phone"})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->role, Role::responder);
    EXPECT_EQ(read->life, std::nullopt);
}

TEST(NativeToken, EveryFaultIsNamed) {
    EXPECT_THAT(faults_of(R"({"name":"a","role":"king","expires_in_seconds":0})"),
                ElementsAre(R"(/role: expected "agent", "responder" or "owner", not "king")",
                            "/expires_in_seconds: expected a number of seconds above 0"));
    EXPECT_THAT(faults_of(R"({"name":"a","expires_in_seconds":1e300})"),
                ElementsAre("/expires_in_seconds: expected a number of seconds above 0"));
}

TEST(NativeToken, ADocumentIsReadAsItWasWritten) {
    Token token{
        .name = "bot", .role = Role::owner, .hash = "", .created_at = kNow, .expires_at = kNow};
    token.person = "Ada";  // the name that people are shown; without one, the token's
    const auto made = read_token_document(token_document(token, "s3cret"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->token, token);
    EXPECT_EQ(made->secret, "s3cret");
}

TEST(NativeToken, APageTellsNoSecretAndNoHash) {
    const Token token{.name = "bot", .role = Role::agent, .hash = "abc", .created_at = kNow};
    const std::vector<TokenPtr> tokens = {std::make_shared<Token>(token)};
    const std::string page = token_page(tokens);
    EXPECT_EQ(page.find("abc"), std::string::npos);
    const auto read = read_token_page(page);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 1U);
    EXPECT_EQ(read->front().name, "bot");
    EXPECT_EQ(read->front().role, Role::agent);
}

TEST(NativeOwner, MembersThatAreNotKnownAreRefused) {
    EXPECT_EQ(read_token(R"({"name":"x","rol":"agent"})").error().faults.at(0).path, "/rol");
    EXPECT_EQ(read_link_body(R"({"was":"x"})").error().faults.at(0).path, "/was");
    EXPECT_EQ(read_name_body(R"({"name":"x","by":"y"})").error().faults.at(0).path, "/by");
    EXPECT_EQ(read_taken(R"({"upto":"x"})").error().faults.at(0).path, "/upto");
}

}  // namespace
}  // namespace parley::native
