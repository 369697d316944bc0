// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

void echo_routes(Router& router) {
    router.get("/hello",
               [](Exchange ex) { ex.respond({.content_type = kPlainText, .body = "hello"}); });
    router.post("/echo",
                [](Exchange ex) { ex.respond({.content_type = kJson, .body = ex.body()}); });
    router.get("/asks/{id}/answer", [](Exchange ex) {
        ex.respond({.content_type = kPlainText, .body = std::string(ex.param("id"))});
    });
    router.get("/co", [](Exchange ex) -> Co<void> {
        co_await sleep_for(Millis(1));
        ex.respond({.content_type = kPlainText, .body = "later"});
    });
    router.get("/drop", [](Exchange) {});
    router.get("/co-no-memory", [](Exchange) -> Co<void> {
        co_await sleep_for(Millis(1));
        throw std::bad_alloc();
    });
    router.get("/no-memory", [](Exchange) { throw std::bad_alloc(); });
    router.get("/throw", [](Exchange) { throw std::runtime_error("oops"); });
    router.get("/co-throw", [](Exchange) -> Co<void> {
        co_await sleep_for(Millis(1));
        throw std::runtime_error("oops");
    });
}

TEST(HttpServer, AnswersOverTcpAndTheUnixSocketAndKeepsTheConnection) {
    ServerFixture fixture(echo_routes);
    auto tcp = fixture.connect();
    auto local = RawClient::unix_path(fixture.socket_path());
    for (RawClient* client : {&tcp, &local}) {
        for (int i = 0; i < 3; ++i) {
            client->send(get("/hello"));
            const auto answer = client->receive();
            ASSERT_TRUE(answer);
            EXPECT_EQ(answer->status(), 200);
            EXPECT_EQ(answer->body, "hello");
            EXPECT_EQ(answer->head.fields.get("content-type"), kPlainText);
            EXPECT_TRUE(answer->head.fields.find("date"));
        }
    }
    EXPECT_EQ(fixture.counts().accepted_total, 2U);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrderAlsoWhenTheFirstIsSlow) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    client.send(get("/co") + get("/hello") + post("/echo", "1") + get("/co") + post("/echo", "2"));
    std::string bodies;
    for (int i = 0; i < 5; ++i) bodies += client.receive().value_or(HeardAnswer{}).body + ",";
    EXPECT_EQ(bodies, "later,hello,1,later,2,");
}

TEST(HttpServer, AHandlerWithoutMemoryIs503AndTheServerGoesOn) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    for (const auto* path : {"/no-memory", "/co-no-memory"}) {
        client.send(get(path));
        EXPECT_EQ(client.receive()->status(), 503) << path;
    }
    client.send(get("/hello"));
    EXPECT_EQ(client.receive()->status(), 200);
}

TEST(HttpServer, AnswersAHandlerThatFailsWith500AndGoesOn) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    for (const auto* path : {"/drop", "/throw", "/co-throw", "/hello"}) {
        client.send(get(path));
        const auto answer = client.receive();
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status(), std::string(path) == "/hello" ? 200 : 500);
    }
}

TEST(HttpServer, HeadHasTheLengthButNoBody) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    client.send("HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n" + get("/hello"));
    const auto head = client.receive(wire::Method::head);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->head.fields.get("content-length"), "5");
    EXPECT_EQ(head->body, "");
    EXPECT_EQ(client.receive()->body, "hello");
}

TEST(HttpServer, RefusesUnknownPathsAndWrongMethods) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    client.send(get("/nothing"));
    EXPECT_EQ(client.receive()->status(), 404);
    client.send(post("/hello", "x"));
    const auto wrong = client.receive();
    EXPECT_EQ(wrong->status(), 405);
    EXPECT_EQ(wrong->head.fields.get("allow"), "GET, HEAD, OPTIONS");
    client.send("OPTIONS /echo HTTP/1.1\r\nHost: t\r\n\r\n");
    const auto options = client.receive();
    EXPECT_EQ(options->status(), 204);
    EXPECT_EQ(options->head.fields.get("allow"), "POST, OPTIONS");
    client.send(get("/asks/a%2Fb%20c/answer"));
    EXPECT_EQ(client.receive()->body, "a/b c");
}

TEST(HttpServer, ReadsChunkedBodiesAndSendsContinue) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nExpect: "
        "100-continue\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("100 Continue"));
    client.send("3\r\nabc\r\n2;x=y\r\n");
    client.send("de\r\n0\r\nTrailer: x\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "abcde");
}

TEST(HttpServer, Http10IsAnsweredAndClosedUnlessItAsksToStay) {
    ServerFixture fixture(echo_routes);
    auto client = fixture.connect();
    client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.receive()->head.fields.get("connection"), "keep-alive");
    client.send("GET /hello HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "hello");
    EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace parley::net::testing
