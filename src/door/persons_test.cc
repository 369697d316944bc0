// SPDX-License-Identifier: Apache-2.0
// Who is who: links, names, tokens of one person, and what is each person's own.
#include "door/persons.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "door/door_fixture.h"
#include "door/limits.h"
#include "door/sign_in_names.h"
#include "net/login.h"

namespace parley {
namespace {

using namespace std::chrono_literals;
using door_testing::Api;
using door_testing::DoorFixture;
using door_testing::EventReader;
using door_testing::Reply;

constexpr std::string_view kDraft = R"({"answers":[{"selected":[],"other":"half"}]})";

class DoorPersons : public testing::Test {
protected:
    Api with(const std::string& lines) {
        return fixture_.with_lines(fmt::format("Host: {}\r\n{}", fixture_.host(), lines));
    }
    Api bearer(const std::string& secret) {
        return with(fmt::format("Authorization: Bearer {}\r\n", secret));
    }
    Api browser(const Reply& reply) {
        const std::string cookie(reply.header("set-cookie"));
        return with(fmt::format("Cookie: {}\r\n", cookie.substr(0, cookie.find(';'))));
    }
    Reply link(std::string_view body = "") { return owner_.post("/sign-in/links", body); }
    Reply open(const Reply& made) {
        const std::string url = made.text("/url");
        return with("User-Agent: Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/140.0\r\n")
            .get(url.substr(url.find("/?")));
    }
    Api guest() { return browser(open(link())); }
    Api signed_in_as(std::string_view name) {
        return browser(open(link(fmt::format(R"({{"as":"{}"}})", name))));
    }

    DoorFixture fixture_{{.has_front_page = true, .has_trpc = true}};
    Api owner_ = fixture_.as("owner");
    Api bot_ = fixture_.as("bot");
};

TEST_F(DoorPersons, ALinkMakesANewPersonWhoSaysTheirNameOnce) {
    Api ada = guest();
    const Reply self = ada.get("/v1/self");
    EXPECT_EQ(self.status(), 200);
    EXPECT_TRUE(self.json().at("needs_name").as_bool());
    EXPECT_TRUE(self.text("/name").starts_with("guest-"));
    EXPECT_EQ(self.text("/role"), "responder");
    const Reply named = ada.post("/v1/self/name", R"({"name":" Ada L. "})");
    EXPECT_EQ(named.status(), 200);
    EXPECT_EQ(named.text("/name"), "Ada L.");
    EXPECT_FALSE(named.json().as_object().contains("needs_name"));
    const Reply now = ada.get("/v1/self");
    EXPECT_EQ(now.text("/name"), "Ada L.");
    EXPECT_EQ(now.text("/principal"), self.text("/principal"));
    EXPECT_FALSE(now.json().as_object().contains("needs_name"));
    EXPECT_EQ(ada.post("/v1/self/name", R"({"name":"Ada L."})").status(), 200);
    EXPECT_EQ(ada.post("/v1/self/name", R"({"name":"Bea"})").status(), 409);
    const std::string id = bot_.ask();
    EXPECT_EQ(ada.post("/v1/asks/" + id + "/answer", R"({"answers":[{"selected":["Tea"]}]})")
                  .text("/settlement/decider/name"),
              "Ada L.");
}

TEST_F(DoorPersons, ANameThatSomebodyHasIsTaken) {
    const std::string login = net::login_name(::geteuid());
    Api ada = guest();
    for (const std::string& name : {std::string("ada"), std::string("ADA"), std::string("bot"),
                                    std::string("\xef\xbd\x81\xef\xbd\x84\xef\xbd\x81"), login}) {
        const Reply refused = ada.post("/v1/self/name", fmt::format(R"({{"name":"{}"}})", name));
        EXPECT_EQ(refused.status(), 409) << name;
        EXPECT_EQ(refused.text("/type"), "urn:parley:problem:name-taken") << name;
    }
    for (const char* name : {"uid:7", ".", "..", "browser", "guest-12", "", " ", "a\\nb"})
        EXPECT_EQ(ada.post("/v1/self/name", fmt::format(R"({{"name":"{}"}})", name)).status(), 400)
            << name;
    // One who is invited by a name has it already.
    const Reply invited = link(R"({"as":"Carla"})");
    EXPECT_EQ(ada.post("/v1/self/name", R"({"name":"carla"})").status(), 409);
    EXPECT_EQ(browser(open(invited)).get("/v1/self").text("/name"), "Carla");
}

// What an invitation is found by is written out: one such letter is a sentence of eighteen.
TEST_F(DoorPersons, ANameIsNotTooLongAsItIsCompared) {
    std::string name;
    for (int i = 0; i < 60; ++i) name += "\xef\xb7\xba";
    EXPECT_EQ(link(fmt::format(R"({{"as":"{}"}})", name)).status(), 201);
    for (int i = 60; i < 200; ++i) name += "\xef\xb7\xba";
    const Reply refused = link(fmt::format(R"({{"as":"{}"}})", name));
    EXPECT_EQ(refused.status(), 400);
    EXPECT_THAT(refused.text("/detail"), testing::HasSubstr("as names are compared"));
    EXPECT_EQ(guest().post("/v1/self/name", fmt::format(R"({{"name":"{}"}})", name)).status(), 400);
}

TEST_F(DoorPersons, TwoBrowsersByTwoLinksAreTwoPeople) {
    Api first = guest();
    Api second = guest();
    EXPECT_NE(first.get("/v1/self").text("/principal"), second.get("/v1/self").text("/principal"));
    const std::string path = "/v1/asks/" + bot_.ask();
    EXPECT_EQ(first.put(path + "/draft", kDraft).status(), 200);
    EXPECT_EQ(second.get(path + "/draft").status(), 204);
    EXPECT_EQ(first.post(path + "/snooze", R"({"seconds":600})").status(), 200);
    EXPECT_NE(first.get(path).text("/snoozed_until"), "");
    EXPECT_EQ(second.get(path).text("/snoozed_until"), "");
}

TEST_F(DoorPersons, ALinkToAPersonIsOneMoreDeviceOfTheirs) {
    Api ada = fixture_.as("ada");
    const std::string path = "/v1/asks/" + bot_.ask();
    EXPECT_EQ(ada.put(path + "/draft", kDraft).status(), 200);
    Api phone = signed_in_as("Ada");
    EXPECT_EQ(phone.get("/v1/self").text("/principal"), "prn_ada");
    EXPECT_EQ(phone.get(path + "/draft").status(), 200);
    // Two links to somebody new are one person too.
    const Reply one = link(R"({"as":"Dora"})");
    const Reply two = link(R"({"as":"Dora"})");
    EXPECT_EQ(browser(open(one)).get("/v1/self").text("/principal"),
              browser(open(two)).get("/v1/self").text("/principal"));
    // The owner of the socket has a phone as well.
    EXPECT_EQ(signed_in_as(net::login_name(::geteuid())).get("/v1/self").text("/principal"),
              fmt::format("uid:{}", ::geteuid()));
    EXPECT_EQ(link(R"({"as":"bot"})").status(), 409) << "an agent does not answer";
    EXPECT_EQ(link(R"({"as":".."})").status(), 400);
    EXPECT_EQ(fixture_.as("ada").post("/sign-in/links", R"({"as":"bob"})").status(), 403);
}

TEST_F(DoorPersons, ALinkToAPersonWhoIsGoneSignsNobodyIn) {
    const Reply made = link(R"({"as":"ada"})");
    EXPECT_EQ(owner_.del("/v1/tokens/ada").status(), 204);
    EXPECT_TRUE(open(made).header("set-cookie").empty());
}

TEST_F(DoorPersons, ARotatedTokenIsTheSamePrincipalsAndTheOldSecretCountsNoLonger) {
    const std::string path = "/v1/asks/" + bot_.ask();
    Api ada = fixture_.as("ada");
    Api page = browser(ada.post("/sign-in", ""));
    EXPECT_EQ(ada.put(path + "/draft", kDraft).status(), 200);
    const Reply rotated = owner_.post("/v1/tokens/ada/rotate", "");
    ASSERT_EQ(rotated.status(), 201);
    EXPECT_EQ(ada.get("/v1/self").status(), 401);
    EXPECT_EQ(page.get("/v1/self").status(), 401);
    Api again = bearer(rotated.text("/token"));
    EXPECT_EQ(again.get("/v1/self").text("/principal"), "prn_ada");
    EXPECT_EQ(again.get(path + "/draft").status(), 200);
    EXPECT_EQ(owner_.post("/v1/tokens/nobody/rotate", "").status(), 404);
    EXPECT_EQ(again.post("/v1/tokens/ada/rotate", "").status(), 403);
}

TEST_F(DoorPersons, OneWhoComesAfterTheLastTokenWasRevokedInheritsNothing) {
    const std::string path = "/v1/asks/" + bot_.ask();
    const Reply more = owner_.post("/v1/tokens", R"({"name":"ada-script","as":"ada"})");
    ASSERT_EQ(more.status(), 201);
    EXPECT_EQ(more.text("/person"), "ada");
    EXPECT_EQ(fixture_.as("ada").put(path + "/draft", kDraft).status(), 200);
    EXPECT_EQ(owner_.del("/v1/tokens/ada").status(), 204);
    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"ada"})").status(), 409) << "she has a script";
    EXPECT_EQ(bearer(more.text("/token")).get(path + "/draft").status(), 200);
    EXPECT_EQ(owner_.del("/v1/tokens/ada-script").status(), 204);
    const Reply anew = owner_.post("/v1/tokens", R"({"name":"ada"})");
    ASSERT_EQ(anew.status(), 201);
    EXPECT_EQ(bearer(anew.text("/token")).get(path + "/draft").status(), 204);
    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"x","as":"nobody"})").status(), 404);
    EXPECT_EQ(owner_.post("/v1/tokens", R"({"name":"x","as":"bot"})").status(), 409);
}

TEST_F(DoorPersons, ARevokedBrowserIsOutAtOnce) {
    Api page = guest();
    const std::string id = bot_.ask();
    EventReader events(page, "");
    events.read_to("snapshot.end");
    auto held = page.connect();
    held.send(page.encode("GET", "/v1/asks/" + id + "?wait=600", {}, {}));
    fixture_.wait_until([&] { return fixture_.waiting() == 1; });
    EventReader other(owner_, "");
    other.read_to("snapshot.end");
    const std::string name = page.get("/v1/self").text("/sign_in");
    EXPECT_EQ(owner_.del("/v1/tokens/" + name).status(), 204);
    EXPECT_FALSE(events.next()) << "the stream has ended";
    EXPECT_FALSE(held.receive()) << "the request that waited was cut";
    EventReader again(page, "");
    EXPECT_EQ(again.head().status, 401);
    bot_.post("/v1/notices", R"({"text":"still here"})");
    EXPECT_EQ(other.read_to("notice").back().type, "notice") << "nobody else was cut";
}

TEST_F(DoorPersons, SigningOutIsAnsweredAndEndsTheBrowsersOwnStreams) {
    Api page = guest();
    EventReader events(page, "");
    events.read_to("snapshot.end");
    EXPECT_EQ(page.post("/sign-out", "").status(), 204);
    EXPECT_FALSE(events.next());
}

TEST_F(DoorPersons, TheListOfSignInsSaysWhereAndWhenTheyWereUsed) {
    Api page = guest();
    const auto listed = [&] {
        const json::Value page = owner_.get("/v1/tokens").json();
        for (const json::Value& token : page.at("tokens").as_array())
            if (is_sign_in(door_testing::text_at(token, "/name"))) return token;
        return json::Value();
    };
    EXPECT_EQ(door_testing::text_at(listed(), "/device"), "Firefox on Linux");
    // It is written down beside the request, and may come after its answer.
    const auto used_after = [&](const std::string& before) {
        std::string used = before;
        while (used == before) used = door_testing::text_at(listed(), "/last_used_at");
        return used;
    };
    const std::string first = used_after("");
    page.get("/v1/self");
    EXPECT_EQ(door_testing::text_at(listed(), "/last_used_at"), first) << "it is coarse";
    fixture_.advance(limits::kTokenUseGrain);
    page.get("/v1/self");
    EXPECT_GT(used_after(first), first);
}

TEST_F(DoorPersons, AnAgentsTokenSignsNobodyInAndLeavesNothingBehind) {
    EXPECT_EQ(bot_.post("/sign-in", "").status(), 403);
    EXPECT_EQ(owner_.get("/v1/tokens").body.find("browser:"), std::string::npos);
}

TEST(DeviceWords, AreABrowserAndASystem) {
    EXPECT_EQ(device_words("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
                           "Chrome/141.0.0.0 Safari/537.36"),
              "Chrome on Linux");
    EXPECT_EQ(device_words("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) "
                           "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 "
                           "Safari/604.1"),
              "Safari on iPhone");
    EXPECT_EQ(device_words("Mozilla/5.0 (Windows NT 10.0) Chrome/141.0 Safari/537.36 Edg/141.0"),
              "Edge on Windows");
    EXPECT_EQ(device_words("curl/8.5"), "curl");
    EXPECT_EQ(device_words(""), "A browser");
}

}  // namespace
}  // namespace parley
