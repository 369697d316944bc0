// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<HttpClient> client_for(Loop& loop, const std::string& url) {
    auto parsed = wire::Url::parse(url);
    EXPECT_TRUE(parsed);
    auto client = HttpClient::create(loop, *parsed);
    EXPECT_TRUE(client);
    return std::move(*client);
}

std::string tcp_url(const ServerFixture& fixture) {
    return "http://127.0.0.1:" + std::to_string(fixture.port());
}

void client_routes(Router& router) {
    router.get("/hello", [](Exchange ex) {
        ex.respond(
            {.content_type = kPlainText, .body = "hello " + std::string(ex.header("x-name"))});
    });
    router.post("/echo",
                [](Exchange ex) { ex.respond({.content_type = kJson, .body = ex.body()}); });
    router.get("/never", [](Exchange ex) {
        auto kept = std::make_shared<Exchange>(std::move(ex));
        kept->on_peer_gone([kept] {});
    });
    router.get("/events", [](Exchange ex) {
        Stream stream = ex.start_stream(sse_options());
        const std::string after(ex.header("last-event-id"));
        stream.send(wire::SseEvent{.data = "after " + after, .id = "7"});
        stream.send(wire::SseEvent{.data = "two\nlines", .event = "note"});
        stream.end();
    });
    router.get("/broken", [](Exchange ex) {
        Stream stream = ex.start_stream({});
        stream.send("part of it");
        stream.abort();
    });
}

TEST(HttpClient, SendsAndReceivesOverTcpAndTheUnixSocket) {
    ServerFixture fixture(client_routes);
    Loop loop;
    for (const std::string& url : {tcp_url(fixture), "unix:" + fixture.socket_path()}) {
        const auto client = client_for(loop, url);
        ClientRequest request{.target = "/hello"};
        request.headers.add("X-Name", "Ada");
        const auto hello = run(loop, client->send(request));
        ASSERT_TRUE(hello) << hello.error().message;
        EXPECT_EQ(hello->status(), 200);
        EXPECT_EQ(hello->body, "hello Ada");
        const std::string large(3'000'000, 'x');
        const auto echo = run(loop, client->send({.method = wire::Method::post,
                                                  .target = "/echo",
                                                  .body = large,
                                                  .content_type = kJson}));
        ASSERT_TRUE(echo) << echo.error().message;
        EXPECT_EQ(echo->body, large);
    }
    EXPECT_EQ(fixture.counts().accepted_total, 2U) << "connections are kept";
}

TEST(HttpClient, SaysWhatCouldNotBeReached) {
    Loop loop;
    const auto nobody = client_for(loop, "unix:/nowhere/parley.sock");
    const auto missing = run(loop, nobody->send({}));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::unavailable);
    EXPECT_THAT(missing.error().message, HasSubstr("unix:/nowhere/parley.sock"));
    const auto closed = client_for(loop, "http://127.0.0.1:1");
    const auto refused = run(loop, closed->send({}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("Connection refused"));
}

TEST(HttpClient, GivesUpAfterItsTimeOut) {
    ServerFixture fixture(client_routes);
    Loop loop;
    const auto client = client_for(loop, tcp_url(fixture));
    const auto answer = run(loop, client->send({.target = "/never", .timeout = Millis(20)}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("in time"));
}

TEST(HttpClient, CloseInterruptsARequestAndTheClientGoesOn) {
    ServerFixture fixture(client_routes);
    Loop loop;
    const auto client = client_for(loop, tcp_url(fixture));
    loop.post_at(loop.now() + Millis(10), [&] { client->close(); });
    const auto answer = run(loop, client->send({.target = "/never"}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::interrupted);
    EXPECT_TRUE(run(loop, client->send({.target = "/hello"})));
}

Co<std::vector<wire::ReceivedSse>> read_events(HttpClient* client) {
    std::vector<wire::ReceivedSse> events;
    auto opened = co_await client->open_events({.target = "/events"}, "5");
    auto* reader = opened ? std::get_if<SseReader>(&*opened) : nullptr;
    if (reader == nullptr) co_return events;
    while (true) {
        auto event = co_await reader->next();
        if (!event || !*event) co_return events;
        events.push_back(std::move(**event));
    }
}

TEST(HttpClient, ReadsEventsAndSendsTheLastId) {
    ServerFixture fixture(client_routes);
    Loop loop;
    const auto client = client_for(loop, tcp_url(fixture));
    const auto events = run(loop, read_events(client.get()));
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].data, "after 5");
    EXPECT_EQ(events[0].last_id, "7");
    EXPECT_EQ(events[1].event, "note");
    EXPECT_EQ(events[1].data, "two\nlines");
}

TEST(HttpClient, AStreamThatBreaksOffIsAFailureNotAnEnd) {
    ServerFixture fixture(client_routes);
    Loop loop;
    const auto client = client_for(loop, tcp_url(fixture));
    const auto answer = run(loop, client->send({.target = "/broken"}));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
}

TEST(HttpClient, ReplacesAKeptConnectionThatTheServerClosed) {
    ServerFixture fixture(client_routes, {.limits = quick_limits()});
    Loop loop;
    const auto client = client_for(loop, tcp_url(fixture));
    ASSERT_TRUE(run(loop, client->send({.target = "/hello"})));
    fixture.wait_until([&] { return fixture.server().counts().connections == 0; });
    EXPECT_TRUE(run(loop, client->send({.target = "/hello"})));
}

}  // namespace
}  // namespace parley::net::testing
