// SPDX-License-Identifier: Apache-2.0
// From a ticket or a token to a cookie, and to its end.
#include "door/sign_in.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "door/door_fixture.h"
#include "door/limits.h"
#include "door/sign_in_cookie.h"
#include "door/sign_in_names.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using door_testing::Api;
using door_testing::DoorFixture;
using door_testing::Reply;

constexpr std::string_view kAsk = R"({"question": "Tea?"})";

class DoorSignIn : public testing::Test {
protected:
    Api with(const std::string& lines) {
        return fixture_.with_lines(fmt::format("Host: {}\r\n{}", fixture_.host(), lines));
    }
    // The browser that a reply made known; it must have.
    Api browser(const Reply& reply) {
        const std::string cookie(reply.header("set-cookie"));
        EXPECT_NE(cookie.find("; HttpOnly; SameSite=Strict; "), std::string::npos) << cookie;
        return with(fmt::format("Cookie: theme=dark; {}\r\n", cookie.substr(0, cookie.find(';'))));
    }
    void make_link() {
        const Reply made = fixture_.as("owner").post("/sign-in/links", "");
        EXPECT_EQ(made.status(), 201);
        const std::string url = made.text("/url");
        link_ = url.substr(url.find("/?"));
    }
    Reply open_link() {
        make_link();
        return with("").get(link_);
    }

    DoorFixture fixture_{{.has_front_page = true}};
    std::string link_;
};

TEST_F(DoorSignIn, ALookAtALinkDoesNotUseItUp) {
    const Reply made = fixture_.as("owner").post("/sign-in/links", "");
    const std::string url = made.text("/url");
    const std::string link = url.substr(url.find("/?"));
    EXPECT_TRUE(with("").call("HEAD", link, {}).header("set-cookie").empty());
    for (const auto* line : {"Sec-Purpose: prefetch\r\n", "Sec-Purpose: prefetch;prerender\r\n",
                             "Purpose: prefetch\r\n"})
        EXPECT_TRUE(with(line).get(link).header("set-cookie").empty()) << line;
    EXPECT_EQ(with("").get(link).status(), 303);
}

TEST_F(DoorSignIn, ALinkSignsOneBrowserInOnceUntilTheCookieRunsOut) {
    const Reply opened = open_link();
    EXPECT_EQ(opened.header("cache-control"), "no-store");
    EXPECT_EQ(opened.status(), 303);
    EXPECT_EQ(opened.header("location"), "/");
    Api known = browser(opened);
    EXPECT_EQ(known.get("/v1/asks").status(), 200);
    EXPECT_EQ(known.post("/v1/asks", kAsk).status(), 403);
    EXPECT_TRUE(known.get("/sign-in").text("/principal").starts_with("prn_"));
    EXPECT_EQ(with("").get(link_).status(), 200);
    EXPECT_TRUE(with("").get(link_).header("set-cookie").empty());
    fixture_.advance(limits::kCookieLife + 1s);
    EXPECT_EQ(known.get("/v1/asks").status(), 401);
}

TEST_F(DoorSignIn, ALinkRunsOut) {
    const Reply made = fixture_.as("owner").post("/sign-in/links", "");
    const std::string url = made.text("/url");
    fixture_.advance(limits::kSignInLinkLife + 1s);
    EXPECT_TRUE(with("").get(url.substr(url.find("/?"))).header("set-cookie").empty());
}

TEST_F(DoorSignIn, OnlyTheOwnerMakesLinks) {
    EXPECT_EQ(fixture_.as("ada").post("/sign-in/links", "").status(), 403);
    EXPECT_EQ(with("").post("/sign-in/links", "").status(), 401);
}

TEST_F(DoorSignIn, ATokenBecomesACookieThatActsInItsNameAndDiesWithIt) {
    const Reply signed_in = fixture_.as("ada").post("/sign-in", "");
    EXPECT_EQ(signed_in.status(), 204);
    Api ada = browser(signed_in);
    EXPECT_EQ(ada.get("/sign-in").text("/principal"), "prn_ada");
    EXPECT_EQ(ada.get("/sign-in").text("/name"), "ada");
    EXPECT_EQ(ada.get("/sign-in").text("/role"), "responder");
    // One who is signed in gets no second cookie.
    EXPECT_TRUE(ada.post("/sign-in", "").header("set-cookie").empty());
    EXPECT_EQ(fixture_.as("owner").del("/v1/tokens/ada").status(), 204);
    EXPECT_EQ(ada.get("/sign-in").status(), 401);
    // Another token of that name is another token.
    EXPECT_EQ(fixture_.as("owner").post("/v1/tokens", R"({"name": "ada"})").status(), 201);
    EXPECT_EQ(ada.get("/sign-in").status(), 401);
}

TEST_F(DoorSignIn, TheOwnerRevokesASignInByItsName) {
    Api known = browser(open_link());
    const std::string name = known.get("/sign-in").text("/sign_in");
    EXPECT_TRUE(is_sign_in(name));
    EXPECT_EQ(fixture_.as("owner").del("/v1/tokens/" + name).status(), 204);
    EXPECT_EQ(known.get("/sign-in").status(), 401);
}

TEST_F(DoorSignIn, SigningOutEndsTheCookieAndNothingElse) {
    Api first = browser(open_link());
    Api second = browser(open_link());
    const Reply out = first.post("/sign-out", "");
    EXPECT_EQ(out.status(), 204);
    EXPECT_NE(out.header("set-cookie").find("Max-Age=0"), std::string_view::npos);
    EXPECT_EQ(first.get("/v1/asks").status(), 401);
    EXPECT_EQ(second.get("/v1/asks").status(), 200);
}

TEST_F(DoorSignIn, ACookiesSecretIsNoTokenAndNoTokenIsACookie) {
    const Reply opened = open_link();
    const std::string cookie(opened.header("set-cookie"));
    const std::size_t equals = cookie.find('=');
    const std::string name = cookie.substr(0, equals);
    const std::string secret = cookie.substr(equals + 1, cookie.find(';') - equals - 1);
    EXPECT_EQ(with(fmt::format("Cookie: {}={}\r\n", name, secret)).get("/v1/asks").status(), 200);
    EXPECT_EQ(with(fmt::format("Authorization: Bearer {}\r\n", secret)).get("/v1/asks").status(),
              401);
    EXPECT_EQ(with(fmt::format("Cookie: {}=ada-secret\r\n", name)).get("/v1/asks").status(), 401);
    EXPECT_EQ(fixture_.as("owner").post("/v1/tokens", R"({"name": "browser:1"})").status(), 400);
}

TEST_F(DoorSignIn, CookiesOfBrokersOnOneMachineHaveDifferentNames) {
    EXPECT_EQ(sign_in_cookie("127.0.0.1:7373"), "parley-7373");
    EXPECT_EQ(sign_in_cookie("[::1]:80"), "parley-80");
    EXPECT_EQ(sign_in_cookie("[::1]"), "parley");
    EXPECT_EQ(sign_in_cookie("parley.example.org"), "parley");
    EXPECT_TRUE(open_link().header("set-cookie").starts_with(sign_in_cookie(fixture_.host())));
}

TEST_F(DoorSignIn, WhoSignsInTooOftenEndsItsOwnOldestSignInAndNobodyElses) {
    Api person = browser(open_link());
    Api ada = browser(fixture_.as("ada").post("/sign-in", ""));
    Api first = browser(fixture_.as("bob").post("/sign-in", ""));
    fixture_.advance(1s);
    for (std::size_t i = 1; i < limits::kCookiesMax; ++i)
        EXPECT_EQ(fixture_.as("bob").post("/sign-in", "").status(), 204);
    EXPECT_EQ(first.get("/v1/asks").status(), 200);
    Api last = browser(fixture_.as("bob").post("/sign-in", ""));
    EXPECT_EQ(first.get("/v1/asks").status(), 401);
    for (Api* live : {&last, &ada, &person}) EXPECT_EQ(live->get("/v1/asks").status(), 200);
}

TEST_F(DoorSignIn, NothingIsPromisedThatTheStoreDoesNotHave) {
    fixture_.break_store(true);
    const Reply refused = fixture_.as("ada").post("/sign-in", "");
    EXPECT_EQ(refused.status(), 503);
    EXPECT_TRUE(refused.header("set-cookie").empty());
}

// Who opens a link is nobody yet, and is told no more than an agent.
TEST_F(DoorSignIn, ALinkThatTheStoreCannotKeepIsRefused) {
    make_link();  // which notes that the owner's token is used: what fails next is the sign-in
    fixture_.break_store(true);
    const Reply opened = with("").get(link_);
    EXPECT_EQ(opened.status(), 503);
    EXPECT_TRUE(opened.header("set-cookie").empty());
    EXPECT_EQ(opened.body.find("the disk is full"), std::string::npos);
}

// Agents do not answer: what refuses them must not have made them known before.
TEST_F(DoorSignIn, AnAgentsTokenThatIsRefusedLeavesNoSignInBehind) {
    const auto known = [this] {
        return fixture_.on_loop([this] { return fixture_.broker().tokens().size(); });
    };
    const std::size_t before = known();
    const Reply refused = fixture_.as("bot").post("/sign-in", "");
    EXPECT_EQ(refused.status(), 403);
    EXPECT_TRUE(refused.header("set-cookie").empty());
    const Reply opened = with("").get("/?token=" + std::string("bot-secret"));
    EXPECT_TRUE(opened.header("set-cookie").empty());
    EXPECT_EQ(known(), before);
}

TEST_F(DoorSignIn, WhatABrowserAnswersIsRecordedAsThePages) {
    Api known = browser(open_link());
    const std::string id = fixture_.as("bot").ask();
    const Reply answered =
        known.post(fmt::format("/v1/asks/{}/answer", id), R"({"answers":[{"selected":["Tea"]}]})");
    EXPECT_EQ(answered.status(), 200);
    EXPECT_EQ(answered.text("/settlement/door"), "page");
    EXPECT_EQ(answered.text("/settlement/decider/principal"),
              known.get("/v1/self").text("/principal"));
    EXPECT_EQ(answered.text("/settlement/decider/name"), known.get("/v1/self").text("/name"));
}

}  // namespace
}  // namespace parley
