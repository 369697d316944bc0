// SPDX-License-Identifier: Apache-2.0
#include "net/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void nothing(Exchange) {}

struct Found {
    std::string pattern;
    std::vector<std::string> values = {};
    std::string allow = {};
};

Found find(Router& router, wire::Method method, std::string_view path) {
    const auto match = router.find(method, path);
    if (!match) return {.pattern = "malformed"};
    return {match->route ? match->route->pattern : "", match->values, match->allow};
}

class RouterTest : public ::testing::Test {
protected:
    RouterTest() {
        router.get("/", nothing);
        router.get("/v1/asks", nothing);
        router.post("/v1/asks", nothing);
        router.get("/v1/asks/{id}", nothing);
        router.post("/v1/asks/{id}/answer", nothing);
        router.get("/v1/asks/mine", nothing);
        router.get("/trpc/{path*}", nothing);
        router.get("/a/{x}/c", nothing);
        router.get("/a/b/{y}", nothing);
        router.del("/files/{name}/{rest*}", nothing);
    }
    Router router;
    static constexpr auto kGet = wire::Method::get;
};

TEST_F(RouterTest, FindsLiteralsParametersAndTails) {
    EXPECT_EQ(find(router, kGet, "/").pattern, "/");
    EXPECT_EQ(find(router, kGet, "/v1/asks").pattern, "/v1/asks");
    EXPECT_EQ(find(router, kGet, "/v1/asks/").pattern, "/v1/asks");
    EXPECT_EQ(find(router, kGet, "/v1/asks/mine").pattern, "/v1/asks/mine");
    EXPECT_THAT(find(router, kGet, "/v1/asks/que_1").values, ElementsAre("que_1"));
    EXPECT_THAT(find(router, wire::Method::post, "/v1/asks/a%2Fb/answer").values,
                ElementsAre("a/b"));
    EXPECT_THAT(find(router, kGet, "/trpc/message.ask,message.list").values,
                ElementsAre("message.ask,message.list"));
    EXPECT_THAT(find(router, kGet, "/trpc/a/b/c").values, ElementsAre("a/b/c"));
    EXPECT_EQ(find(router, kGet, "/trpc").pattern, "");
    EXPECT_THAT(find(router, wire::Method::del, "/files/n/x/y").values, ElementsAre("n", "x/y"));
    EXPECT_EQ(find(router, wire::Method::head, "/v1/asks").pattern, "/v1/asks");
}

TEST_F(RouterTest, GoesBackWhereALiteralLeadsNowhere) {
    EXPECT_EQ(find(router, kGet, "/a/b/c").pattern, "/a/b/{y}");
    EXPECT_EQ(find(router, kGet, "/a/z/c").pattern, "/a/{x}/c");
    EXPECT_EQ(find(router, kGet, "/a/z/d").pattern, "");
}

TEST_F(RouterTest, TellsUnknownPathsFromWrongMethods) {
    EXPECT_EQ(find(router, kGet, "/nope").allow, "");
    EXPECT_EQ(find(router, wire::Method::put, "/v1/asks").allow, "GET, HEAD, POST, OPTIONS");
    EXPECT_EQ(find(router, kGet, "/v1/asks/que_1/answer").allow, "POST, OPTIONS");
    EXPECT_EQ(find(router, wire::Method::other, "/v1/asks").allow, "GET, HEAD, POST, OPTIONS");
}

TEST_F(RouterTest, RefusesPathsThatClimbOrAreBroken) {
    for (const auto* path : {"/..", "/v1/../v1/asks", "/%2e%2e/x", "/v1/%2e", "/a%2", "/a%00"}) {
        EXPECT_EQ(find(router, kGet, path).pattern, "malformed") << path;
    }
    EXPECT_EQ(find(router, kGet, "/trpc/...").pattern, "/trpc/{path*}");
}

TEST_F(RouterTest, ListsItsRoutesInOrder) {
    const auto routes = router.routes();
    ASSERT_EQ(routes.size(), 10U);
    EXPECT_EQ(routes[4].pattern, "/v1/asks/{id}/answer");
    EXPECT_EQ(routes[4].method, wire::Method::post);
}

struct Caller {
    std::string name;
};

// A gate that wants a name for everything but the open routes, and marks every answer.
Admission name_gate(Visit& visit) {
    visit.headers.add("X-Gate", visit.pattern.empty() ? "none" : visit.pattern);
    if (visit.path == "/redirect") {
        Response response{.status = 303};
        response.headers.add("Location", "/elsewhere");
        return response;
    }
    const auto name = visit.request.fields.find("x-name");
    if (!name && visit.access != 0) {
        Refusal refusal{.status = 401, .detail = "Who are you?", .type = "unknown-caller"};
        refusal.headers.add("WWW-Authenticate", "Bearer");
        return refusal;
    }
    if (name) visit.principal = std::make_shared<const Caller>(Caller{std::string(*name)});
    return Admit{};
}

void gated_routes(Router& router) {
    router.set_gate(&name_gate);
    router.get("/me", [](Exchange ex) { ex.respond({.body = ex.principal<Caller>()->name}); },
               {.access = 1});
    router.post("/json", [](Exchange ex) { ex.respond({.body = ex.body()}); },
                {.access = 1, .body_bytes_max = 100, .content_types = {kJson}});
    router.post("/loose", [](Exchange ex) { ex.respond({.body = ex.body()}); },
                {.content_types = {kJson}, .untyped_body = RouteOptions::Untyped::allowed});
    router.set_shape("/api", [](const Refusal& refusal, const wire::Request*) {
        return Response{.status = refusal.status,
                        .content_type = kJson,
                        .headers = refusal.headers,
                        .body = "{\"api\":" + std::to_string(refusal.status) + "}"};
    });
    router.get("/api/x", nothing);
}

TEST(Gate, DecidesBeforeTheHandlerAndMarksEveryAnswer) {
    ServerFixture fixture(gated_routes);
    auto client = fixture.connect();
    client.send(get("/me"));
    const auto stranger = client.receive();
    EXPECT_EQ(stranger->status(), 401);
    EXPECT_EQ(stranger->head.fields.get("www-authenticate"), "Bearer");
    EXPECT_EQ(stranger->head.fields.get("x-gate"), "/me");
    client.send(get("/me", "X-Name: Ada\r\n"));
    const auto known = client.receive();
    EXPECT_EQ(known->body, "Ada");
    EXPECT_EQ(known->head.fields.count("x-gate"), 1U);
    client.send(get("/redirect"));
    EXPECT_EQ(client.receive()->head.fields.get("location"), "/elsewhere");
    client.send(get("/unknown"));
    EXPECT_EQ(client.receive()->head.fields.get("x-gate"), "none");
}

TEST(Gate, AStrangerCannotMakeUsReadALargeBody) {
    ServerFixture fixture(gated_routes);
    auto client = fixture.connect();
    client.send("POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    EXPECT_EQ(client.receive()->status(), 401);
    EXPECT_TRUE(client.ends());
    auto small = fixture.connect();
    small.send(post("/json", "{}") + get("/me", "X-Name: Ada\r\n"));
    EXPECT_EQ(small.receive()->status(), 401);
    EXPECT_EQ(small.receive()->body, "Ada") << "a short body does not cost the connection";
}

// Knows Ada once it was told to look again, and nobody else.
struct LateGate {
    int second_looks = 0;
    std::vector<Task> waiting = {};

    Admission operator()(Visit& visit) {
        visit.headers.add("X-Gate", "seen");
        if (!visit.is_second_look) {
            return Later{[this](Task then) { waiting.push_back(std::move(then)); }};
        }
        ++second_looks;
        const auto name = visit.request.fields.find("x-name");
        if (name != "Ada") return Refusal{.status = 401, .detail = "Who are you?"};
        visit.principal = std::make_shared<const Caller>(Caller{std::string(*name)});
        return Admit{};
    }
};

void look_again(ServerFixture& fixture, LateGate& gate) {
    fixture.wait_until([&] { return !gate.waiting.empty(); });
    fixture.on_loop([&] { std::exchange(gate.waiting, {}).front()(); });
}

TEST(Gate, ThatMayBeBehindLooksAgainAndTheRequestGoesOnWithItsBody) {
    LateGate gate;
    ServerFixture fixture([&](Router& router) {
        router.set_gate([&](Visit& visit) { return gate(visit); });
        router.post("/echo", [](Exchange ex) {
            ex.respond({.body = ex.principal<Caller>()->name + " says " + ex.body()});
        });
        router.post("/typed", [](Exchange ex) { ex.respond({.body = ex.body()}); },
                    {.content_types = {kJson}});
    });
    auto client = fixture.connect();
    const auto answer_of = [&](const std::string& path, const std::string& name) {
        client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nX-Name: " + name +
                    "\r\nContent-Length: 2\r\n\r\nhi");
        look_again(fixture, gate);
        return client.receive();
    };
    const auto known = answer_of("/echo", "Ada");
    EXPECT_EQ(known->body, "Ada says hi");
    EXPECT_EQ(known->head.fields.count("x-gate"), 1U) << "lines of the first look are gone";
    EXPECT_EQ(answer_of("/echo", "Eve")->status(), 401);
    EXPECT_EQ(answer_of("/typed", "Ada")->status(), 415);
    EXPECT_EQ(answer_of("/nope", "Ada")->status(), 404);
}

TEST(Gate, ThatMayBeBehindDecidesAtOnceAboutALargeBody) {
    LateGate gate;
    ServerFixture fixture([&](Router& router) {
        router.set_gate([&](Visit& visit) { return gate(visit); });
        router.post("/echo", [](Exchange ex) { ex.respond({.body = ex.body()}); });
    });
    auto client = fixture.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    EXPECT_EQ(client.receive()->status(), 401);
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(fixture.on_loop([&] { return gate.second_looks; }), 1);
    EXPECT_TRUE(fixture.on_loop([&] { return gate.waiting.empty(); }));
}

TEST(Gate, WhoLeavesBeforeTheSecondLookIsForgotten) {
    LateGate gate;
    ServerFixture fixture([&](Router& router) {
        router.set_gate([&](Visit& visit) { return gate(visit); });
        router.get("/echo", [](Exchange ex) { ex.respond({.body = "hi"}); });
    });
    {
        auto client = fixture.connect();
        client.send(get("/echo", "X-Name: Ada\r\n"));
        fixture.wait_until([&] { return !gate.waiting.empty(); });
    }
    look_again(fixture, gate);
    auto next = fixture.connect();
    next.send(get("/echo", "X-Name: Ada\r\n"));
    look_again(fixture, gate);
    EXPECT_EQ(next.receive()->body, "hi");
}

TEST(Routes, CheckTheBodysTypeAndSize) {
    ServerFixture fixture(gated_routes);
    const std::string name = "X-Name: Ada\r\n";
    const auto send = [&](const std::string& path, const std::string& lines,
                          std::string_view body) {
        auto client = fixture.connect();
        client.send("POST " + path + " HTTP/1.1\r\nHost: a\r\n" + name + lines +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                    std::string(body));
        return client.receive()->status();
    };
    EXPECT_EQ(send("/json", "Content-Type: application/json; charset=utf-8\r\n", "{}"), 200);
    EXPECT_EQ(send("/json", "Content-Type: application/json, application/json\r\n", "{}"), 200);
    EXPECT_EQ(send("/json", "Content-Type: text/plain\r\n", "{}"), 415);
    EXPECT_EQ(send("/json", "", "{}"), 415);
    EXPECT_EQ(send("/json", "", ""), 200) << "no body needs no type";
    EXPECT_EQ(send("/loose", "", "{}"), 200);
    EXPECT_EQ(send("/json", "Content-Type: application/json\r\n", std::string(101, ' ')), 413);
    EXPECT_EQ(send("/json?a=%zz", "Content-Type: application/json\r\n", "{}"), 400);
}

TEST(Routes, EachDoorShapesItsOwnErrors) {
    ServerFixture fixture(gated_routes);
    auto client = fixture.connect();
    const auto body_of = [&](const std::string& bytes) {
        client.send(bytes);
        return client.receive()->body;
    };
    EXPECT_EQ(body_of(get("/api/nope")), "{\"api\":404}");
    EXPECT_EQ(body_of(post("/api/x?y=1", "")), "{\"api\":405}");
    EXPECT_EQ(body_of(get("/api/x")), "{\"api\":500}") << "a handler that did not answer";
    EXPECT_THAT(body_of(get("/apix")), HasSubstr("nothing at this path"));
}

TEST(Routes, RecordEachRequestWithoutItsQuery) {
    std::vector<std::string> records;
    ServerFixture fixture([&](Router& router) {
        gated_routes(router);
        router.set_after_hook([&](const AccessRecord& record) {
            EXPECT_EQ(record.request_id.size(), 16U);
            records.push_back(std::string(wire::to_string(record.method)) + " " +
                              std::string(record.pattern) + " " + std::string(record.path) + " " +
                              std::to_string(record.status) + " " +
                              std::to_string(record.request_bytes));
        });
    });
    auto client = fixture.connect();
    client.send(get("/me?token=s3cret", "X-Name: A\r\n") + post("/loose", "{}") + get("/no?x=y") +
                "broken\r\n\r\n");
    for (int i = 0; i < 4; ++i) client.receive();
    fixture.on_loop([&] {
        EXPECT_THAT(records, ElementsAre("GET /me /me 200 0", "POST /loose /loose 200 2",
                                         "GET  /no 404 0", "GET   400 0"));
    });
}

}  // namespace
}  // namespace parley::net::testing
