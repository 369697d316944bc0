// SPDX-License-Identifier: Apache-2.0
// Who may: Host, Origin, tokens, roles, the rate limit, and that no secret is written anywhere.
#include "door/access.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "door/door_fixture.h"
#include "door/limits.h"
#include "door/sign_in_cookie.h"
#include "support/sim_world.h"
#include "wire/header_text.h"
#include "wire/http_parser.h"

namespace parley::door_testing {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPending =
    R"({"id":1,"method":"query","params":{"path":"message.pending",)"
    R"("input":{"sessionId":"chat"}}})";
constexpr std::string_view kAsk = R"({"question":"Q?","options":["A","B"]})";

class DoorAccess : public testing::Test {
protected:
    Api with(std::string_view lines) {
        return fixture_.with_lines(fmt::format("Host: {}\r\n{}", fixture_.host(), lines));
    }
    Api bearer(std::string_view secret) {
        return with(fmt::format("Authorization: Bearer {}\r\n", secret));
    }

    DoorFixture fixture_;
    Api nobody_ = with("");
    Api ada_ = fixture_.as("ada");
};

TEST_F(DoorAccess, WithoutATokenThereIsA401ThatSaysWhatIsWanted) {
    const Reply reply = nobody_.get("/v1/asks");
    EXPECT_EQ(reply.status(), 401);
    EXPECT_EQ(reply.header("www-authenticate"), "Bearer realm=\"parley\"");
    EXPECT_EQ(reply.header("content-type"), "application/problem+json");
    EXPECT_EQ(reply.text("/type"), "urn:parley:problem:no-token");
    EXPECT_EQ(bearer("wrong").get("/v1/asks").status(), 401);
    EXPECT_EQ(with("Authorization: Negotiate abc\r\n").get("/v1/asks").status(), 401);
}

TEST_F(DoorAccess, WhatIsOpenIsOpenAndAnUnknownPathIsSaidToBeOne) {
    for (const auto* open : {"/healthz", "/readyz", "/v1/openapi.json"})
        EXPECT_EQ(nobody_.get(open).status(), 200) << open;
    EXPECT_EQ(nobody_.get("/metrics").status(), 401);
    EXPECT_EQ(nobody_.get("/v1/nothing").status(), 404);
}

TEST_F(DoorAccess, ATokenIsTakenAsBearerAsBasicPasswordAndFromTheAddress) {
    EXPECT_EQ(bearer("ada-secret").get("/v1/asks").status(), 200);
    EXPECT_EQ(with("authorization: bearer ada-secret\r\n").get("/v1/asks").status(), 200);
    const std::string basic = wire::base64_encode("anyone:ada-secret");
    EXPECT_EQ(with(fmt::format("Authorization: Basic {}\r\n", basic)).get("/v1/asks").status(),
              200);
    EXPECT_EQ(nobody_.get("/v1/asks?token=ada-secret").status(), 200);
    EXPECT_EQ(nobody_.get("/v1/asks?token=wrong").status(), 401);
    // A header that is wrong is not made good by the address.
    EXPECT_EQ(bearer("wrong").get("/v1/asks?token=ada-secret").status(), 401);
}

TEST_F(DoorAccess, TheLocalSocketIsTheOwnerUnderAnyHostAndIsRecordedByItsUid) {
    Api local = fixture_.local();
    EXPECT_EQ(local.get("/v1/tokens").status(), 200);
    const Reply made = local.post("/v1/asks", kAsk);
    EXPECT_EQ(made.status(), 201);
    EXPECT_EQ(made.text("/asker"), fmt::format("uid:{}", ::getuid()));
}

TEST_F(DoorAccess, ATokenOnTheLocalSocketIsAllThatItsHolderIs) {
    Api local = fixture_.local();
    const std::string bot = "Authorization: Bearer bot-secret\r\n";
    EXPECT_EQ(local.get("/v1/tokens", bot).status(), 403);
    EXPECT_EQ(local.get("/v1/asks", bot).status(), 200);
    const Reply unknown = local.get("/v1/asks", "Authorization: Bearer wrong\r\n");
    EXPECT_EQ(unknown.status(), 401);
    EXPECT_NE(unknown.text("/detail").find("local socket"), std::string::npos);
}

TEST_F(DoorAccess, AHostThatIsNotOursIs403EvenWithAToken) {
    for (const auto* host : {"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:7373"}) {
        Api api = fixture_.with_lines(
            fmt::format("Host: {}\r\nAuthorization: Bearer ada-secret\r\n", host));
        const Reply reply = api.get("/v1/asks");
        EXPECT_EQ(reply.status(), 403) << host;
        EXPECT_EQ(reply.text("/type"), "urn:parley:problem:wrong-host");
        EXPECT_EQ(api.get("/healthz").status(), 403) << host;
        EXPECT_EQ(api.call("OPTIONS", "/v1/asks", {}).status(), 403) << host;
    }
}

TEST_F(DoorAccess, AForeignOriginIs403AndOurOwnIsServedWithCors) {
    for (const auto* origin :
         {"http://evil.example", "null", "http://127.0.0.1:1", "", "http://evil.example:80"}) {
        const Reply reply = ada_.get("/v1/asks", fmt::format("Origin: {}\r\n", origin));
        EXPECT_EQ(reply.status(), 403) << origin;
        EXPECT_EQ(reply.text("/type"), "urn:parley:problem:wrong-origin");
        EXPECT_EQ(reply.header("access-control-allow-origin"), "");
        EXPECT_EQ(ada_.get("/v1/events", fmt::format("Origin: {}\r\n", origin)).status(), 403);
    }
    for (const auto* scheme : {"evil://", "://", "", "httpx://"}) {
        const std::string origin = scheme + fixture_.host();
        EXPECT_EQ(ada_.get("/v1/asks", fmt::format("Origin: {}\r\n", origin)).status(), 403)
            << origin;
    }
    const std::string ours = "http://" + fixture_.host();
    const std::string twice = fmt::format("Origin: {}\r\nOrigin: http://evil.example\r\n", ours);
    EXPECT_EQ(ada_.get("/v1/asks", twice).status(), 403);
    const Reply reply = ada_.get("/v1/asks", fmt::format("Origin: {}\r\n", ours));
    EXPECT_EQ(reply.status(), 200);
    EXPECT_EQ(reply.header("access-control-allow-origin"), ours);
    EXPECT_EQ(reply.header("access-control-allow-credentials"), "true");
    EXPECT_EQ(reply.header("vary"), "Origin");
    // A page must be able to read why it was refused.
    EXPECT_EQ(nobody_.get("/v1/asks", fmt::format("Origin: {}\r\n", ours))
                  .header("access-control-allow-origin"),
              ours);
}

TEST(DoorAccessOptions, OriginsThatWereAllowedMayCallAndAStarStandsForAnyPort) {
    DoorFixture fixture(
        {.access = {.allowed_origins = {"https://desk.example", "http://localhost:*"}}});
    Api ada = fixture.as("ada");
    const auto status = [&](std::string_view origin) {
        return ada.get("/v1/asks", fmt::format("Origin: {}\r\n", origin)).status();
    };
    EXPECT_EQ(status("https://desk.example"), 200);
    EXPECT_EQ(status("http://localhost:3000"), 200);
    EXPECT_EQ(status("http://desk.example"), 403);
    EXPECT_EQ(status("https://desk.example.evil"), 403);
    EXPECT_EQ(status("http://localhost:"), 403);
    EXPECT_EQ(status("http://localhost:80.evil"), 403);
    EXPECT_EQ(status("http://localhost"), 403);
}

TEST_F(DoorAccess, APreflightNeedsNoTokenAndSaysWhatThePathTakes) {
    const std::string lines = fmt::format(
        "Origin: http://{}\r\nAccess-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: authorization, content-type\r\n",
        fixture_.host());
    const Reply reply = nobody_.call("OPTIONS", "/v1/asks", {}, lines);
    EXPECT_EQ(reply.status(), 204);
    EXPECT_EQ(reply.header("access-control-allow-methods"), "GET, HEAD, POST, OPTIONS");
    EXPECT_EQ(reply.header("access-control-allow-headers"), "authorization, content-type");
    EXPECT_EQ(reply.header("access-control-allow-origin"), "http://" + fixture_.host());
    EXPECT_EQ(nobody_.call("OPTIONS", "/v1/nothing", {}, lines).status(), 404);
    EXPECT_EQ(nobody_.call("OPTIONS", "/v1/asks", {}, "Origin: http://evil\r\n").status(), 403);
}

TEST_F(DoorAccess, PathsThatClimbAreRefused) {
    for (const auto* path :
         {"/v1/../v1/tokens", "/v1/%2e%2e/v1/tokens", "/v1/asks/../tokens", "/../../etc/passwd",
          "/v1/asks/%2E%2E%2Ftokens/answer", "/v1//tokens", "/v1/tokens/%2e"}) {
        const int status = ada_.get(path).status();
        EXPECT_TRUE(status == 400 || status == 403 || status == 404 || status == 405)
            << path << ' ' << status;
    }
}

TEST_F(DoorAccess, EveryAnswerHasTheHeadersThatKeepBrowsersHonest) {
    for (const Reply& reply : {ada_.get("/v1/asks"), nobody_.get("/v1/asks"), ada_.get("/x")}) {
        EXPECT_EQ(reply.header("x-content-type-options"), "nosniff");
        EXPECT_EQ(reply.header("referrer-policy"), "no-referrer");
        EXPECT_EQ(reply.header("cache-control"), "no-store");
    }
}

TEST_F(DoorAccess, WhoGuessesIsSlowedDownAndWhoIsKnownAtThatAddressIsServedOn) {
    EXPECT_EQ(ada_.get("/v1/asks").status(), 200);
    for (int i = 0; i < limits::kLoginFailuresMax; ++i)
        EXPECT_EQ(bearer(fmt::format("guess-{}", i)).get("/v1/asks").status(), 401);
    const Reply slowed = bearer("guess").get("/v1/asks");
    EXPECT_EQ(slowed.status(), 429);
    EXPECT_EQ(slowed.header("retry-after"), "60");
    EXPECT_EQ(slowed.text("/type"), "urn:parley:problem:too-many-logins");
    // A right guess is not told from a wrong one, unless its token was seen here before.
    EXPECT_EQ(bearer("bob-secret").get("/v1/asks").status(), 429);
    EXPECT_EQ(ada_.get("/v1/asks").status(), 200);
    EXPECT_EQ(fixture_.local().get("/v1/asks").status(), 200);
    EXPECT_EQ(nobody_.get("/healthz").status(), 200);
    fixture_.advance(limits::kLoginWindow + 1s);
    EXPECT_EQ(bearer("bob-secret").get("/v1/asks").status(), 200);
}

// A page that anyone opens can make the browser guess, and so can any user of this machine.
TEST_F(DoorAccess, WhoHasASecretThatWeMadeIsNotLockedOutByWhoGuessesAtTheSameAddress) {
    const std::string made =
        fixture_.as("owner").post("/v1/tokens", R"({"name":"phone"})").text("/token");
    for (int i = 0; i <= limits::kLoginFailuresMax; ++i) nobody_.get("/v1/asks?token=guess");
    EXPECT_EQ(bearer("bob-secret").get("/v1/asks").status(), 429);
    EXPECT_EQ(bearer(made).get("/v1/asks").status(), 200);
    EXPECT_EQ(bearer(std::string(made.size(), 'x')).get("/v1/asks").status(), 429);
}

TEST_F(DoorAccess, APageOfAnotherSiteCannotMakeABrowserCallWithoutAnOrigin) {
    for (const auto* site : {"cross-site", "same-site"}) {
        const std::string lines = fmt::format("Sec-Fetch-Site: {}\r\n", site);
        const Reply reply = ada_.get("/v1/asks", lines);
        EXPECT_EQ(reply.status(), 403) << site;
        EXPECT_EQ(reply.text("/type"), "urn:parley:problem:wrong-origin");
        for (int i = 0; i <= limits::kLoginFailuresMax; ++i)
            EXPECT_EQ(nobody_.get("/v1/events?session=s&token=guess", lines).status(), 403);
        // A link leads to what everyone may see.
        EXPECT_EQ(nobody_.get("/v1/openapi.json", lines).status(), 200);
        EXPECT_EQ(nobody_.get("/v1/nothing", lines).status(), 404);
    }
    // Nobody has guessed.
    EXPECT_EQ(bearer("bob-secret").get("/v1/asks").status(), 200);
    for (const auto* site : {"none", "same-origin"}) {
        EXPECT_EQ(ada_.get("/v1/asks", fmt::format("Sec-Fetch-Site: {}\r\n", site)).status(), 200);
    }
}

TEST_F(DoorAccess, WhoShowsNothingOrAnOldCookieDoesNotGuess) {
    Api stale =
        with(fmt::format("Cookie: {}=of-an-earlier-process\r\n", sign_in_cookie(fixture_.host())));
    for (int i = 0; i < 2 * limits::kLoginFailuresMax; ++i) {
        EXPECT_EQ(nobody_.get("/v1/asks").status(), 401);
        EXPECT_EQ(stale.get("/v1/asks").status(), 401);
    }
    EXPECT_EQ(ada_.get("/v1/asks").status(), 200);
}

TEST(DoorAccessOptions, WithoutTokensEveryoneIsTheOwnerAndHostAndOriginStillCount) {
    DoorFixture fixture({.access = {.requires_token = false}});
    Api anyone = fixture.with_lines("Host: " + fixture.host() + "\r\n");
    EXPECT_EQ(anyone.get("/v1/tokens").status(), 200);
    EXPECT_EQ(anyone.post("/v1/asks", kAsk).text("/asker"), "anyone");
    EXPECT_EQ(anyone.get("/v1/asks", "Origin: http://evil\r\n").status(), 403);
    EXPECT_EQ(fixture.with_lines("Host: evil\r\n").get("/v1/asks").status(), 403);
}

// Other nodes are heard when the test says so.
class GateOfANode : public testing::Test {
protected:
    RawClient begin(std::string_view secret) {
        Api api = fixture_.with_lines(fmt::format("Host: {}\r\n", fixture_.host()));
        RawClient client = api.connect();
        client.send(
            api.encode("GET", "/v1/asks", {}, fmt::format("Authorization: Bearer {}\r\n", secret)));
        return client;
    }
    // Of a socket whose token is in its first message; a call comes right behind it.
    RawClient begin_socket(std::string_view secret) {
        Api api = fixture_.with_lines(fmt::format("Host: {}\r\n", fixture_.host()));
        RawClient client = api.connect();
        client.send(api.encode("GET", "/trpc?connectionParams=1", {},
                               "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                               "Sec-WebSocket-Version: 13\r\n"
                               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
        const std::string params =
            fmt::format(R"({{"method":"connectionParams","data":{{"token":"{}"}}}})", secret);
        client.send(frame(params) + frame(kPending));
        return client;
    }
    // A short client's frame with an all-zero mask.
    static std::string frame(std::string_view text) {
        std::string out = "\x81";
        out.push_back(static_cast<char>(0x80U | text.size()));
        return out.append(4, '\0').append(text);
    }
    void wait_for_looks(std::size_t count) {
        fixture_.wait_until([&] { return looks_.size() == count; });
    }
    void hear(std::size_t look) {
        fixture_.on_loop([&] { std::exchange(looks_[look], nullptr)(); });
    }

    std::vector<Task> looks_;  // on the loop's thread
    DoorFixture fixture_{
        {.access = {.hear_first = [this](Task then) { looks_.push_back(std::move(then)); }},
         .has_trpc = true}};
};

TEST_F(GateOfANode, ATokenThatAnotherHasMadeJustNowIsTaken) {
    RawClient client = begin("late-secret");
    wait_for_looks(1);
    fixture_.make_token("late", Role::responder);
    hear(0);
    EXPECT_EQ(client.receive()->status(), 200);
    EXPECT_EQ(begin("late-secret").receive()->status(), 200);
    wait_for_looks(1);
}

TEST_F(GateOfANode, AWrongTokenIsLookedForOnce) {
    RawClient client = begin("wrong");
    wait_for_looks(1);
    hear(0);
    EXPECT_EQ(client.receive()->status(), 401);
    EXPECT_EQ(fixture_.on_loop([this] { return fixture_.access().failed_logins(); }), 1U);
    wait_for_looks(1);
}

TEST_F(GateOfANode, WhereTheOthersAreNotHeardInTimeItIsDecidedByWhatIsKnown) {
    RawClient client = begin("late-secret");
    RawClient known = begin("late-secret");
    wait_for_looks(2);
    fixture_.make_token("late", Role::responder);
    fixture_.advance(limits::kTokenLookTime);
    EXPECT_EQ(client.receive()->status(), 200);
    EXPECT_EQ(known.receive()->status(), 200);
    RawClient wrong = begin("wrong");
    wait_for_looks(3);
    fixture_.advance(limits::kTokenLookTime);
    EXPECT_EQ(wrong.receive()->status(), 401);
    for (const std::size_t late : {0U, 1U, 2U}) hear(late);
}

TEST_F(GateOfANode, ATokenInTheFirstMessageOfASocketIsLookedForToo) {
    fixture_.as("bot").ask();
    RawClient late = begin_socket("late-secret");
    wait_for_looks(1);
    fixture_.make_token("late", Role::responder);
    hear(0);
    EXPECT_THAT(late.read_until("}"), HasSubstr(R"({"id":1,"result")"));
    RawClient wrong = begin_socket("wrong");
    wait_for_looks(2);
    hear(1);
    EXPECT_THAT(wrong.read_until("UNAUTHORIZED"), HasSubstr("connectionParams"));
    wait_for_looks(2);
}

// The gate alone, in time that stands still.
class LooksOfAGate : public testing::Test {
protected:
    bool looks(std::string_view line, std::string address) {
        const std::string bytes =
            fmt::format("GET /v1/asks HTTP/1.1\r\nHost: here\r\n{}\r\n\r\n", line);
        std::string_view input = bytes;
        wire::RequestParser parser;
        EXPECT_EQ(parser.step(input), wire::Step::head);
        const net::Peer peer{.address = std::move(address)};
        wire::HeaderBlock headers;
        std::shared_ptr<const void> principal;
        net::Visit visit{.request = parser.message(),
                         .peer = peer,
                         .path = "/v1/asks",
                         .query = {},
                         .host = "here",
                         .pattern = "/v1/asks",
                         .access = static_cast<int>(Needs::token),
                         .headers = headers,
                         .principal = principal};
        const net::Admission first = access_.admit(visit);
        if (!std::holds_alternative<net::Later>(first)) return false;
        visit.is_second_look = true;
        EXPECT_TRUE(std::holds_alternative<net::Refusal>(access_.admit(visit)));
        return true;
    }

    sim::SimClock clock_;
    const Access::Tokens tokens_ = {};
    Access access_{{.hosts = {"here"}, .hear_first = [](Task) {}}, tokens_, clock_};
};

TEST_F(LooksOfAGate, AreBoundedInNumberForTokensAndStaleCookiesTogether) {
    const std::string stale =
        fmt::format("Cookie: {}=of-an-earlier-process", sign_in_cookie("here"));
    const std::string wrong = "Authorization: Bearer wrong";
    for (int second = 0; second < 3; ++second) {
        for (int i = 0; i < limits::kTokenLooksPerSecond; ++i) {
            const std::string stranger = fmt::format("10.0.{}.{}:1", second, i);
            EXPECT_TRUE(looks(i % 2 == 0 ? wrong : stale, stranger));
        }
        EXPECT_FALSE(looks(wrong, "10.1.0.1:1"));
        EXPECT_FALSE(looks(stale, "10.1.0.1:1"));
        bool has_caller = true;
        access_.sign_in({.address = "10.1.0.2:1"}, "wrong",
                        [&](const std::optional<Caller>& who) { has_caller = who.has_value(); });
        EXPECT_FALSE(has_caller) << "decided at once";
        clock_.advance(1s);
    }
}

// Every way in which a secret can come, and everything that is written down of it.
TEST_F(DoorAccess, NoSecretIsEverInTheRecordOfARequest) {
    const std::string basic = wire::base64_encode("x:ada-secret");
    nobody_.get("/v1/asks?token=ada-secret");
    nobody_.get("/v1/nothing?token=ada-secret");
    nobody_.get("/v1/events/?a=%zz&token=ada-secret");
    bearer("ada-secret").get("/v1/asks");
    with(fmt::format("Authorization: Basic {}\r\n", basic)).get("/v1/asks");
    const std::string cookie = sign_in_cookie(fixture_.host());
    with(fmt::format("Cookie: {}=ada-secret\r\n", cookie)).get("/v1/asks");
    EventReader reader(ada_, "?token=ada-secret");
    reader.read_to("snapshot.end");
    reader.client().reset();
    const Reply made = fixture_.as("owner").post("/v1/tokens", R"({"name":"phone"})");
    fixture_.wait_until([this] { return fixture_.counts().streams == 0; });
    const auto records = fixture_.records();
    EXPECT_GE(records.size(), 8U);
    for (const std::string& record : records) {
        EXPECT_THAT(record, Not(HasSubstr("secret")));
        EXPECT_THAT(record, Not(HasSubstr(basic)));
        EXPECT_THAT(record, Not(HasSubstr(made.text("/token"))));
    }
}

}  // namespace
}  // namespace parley::door_testing
