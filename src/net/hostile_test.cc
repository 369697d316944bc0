// SPDX-License-Identifier: Apache-2.0
// Clients that mean harm, or are broken: each gets a clear 4xx or a closed connection, and a
// bystander is served all the while.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

void hostile_routes(Router& router) {
    router.get("/hello", [](Exchange ex) { ex.respond({.body = "hello"}); });
    router.post("/echo", [](Exchange ex) { ex.respond({.body = ex.body()}); },
                {.body_bytes_max = 100'000});
    router.get("/wait", [](Exchange ex) {
        // Answers when the client leaves: a half-closed one must still be told.
        auto kept = std::make_shared<Exchange>(std::move(ex));
        kept->on_peer_gone([kept] { kept->respond({.body = "you left"}); });
    });
    router.get("/big", [](Exchange ex) { ex.respond({.body = std::string(8'000'000, 'x')}); });
}

class Hostile : public ::testing::Test {
protected:
    void expect_bystander_served() {
        bystander.send(get("/hello"));
        const auto answer = bystander.receive();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->body, "hello");
    }
    void TearDown() override { expect_bystander_served(); }

    // Sends what it can; the status of the answer, 0 if there was none. The connection must end.
    int status_of(std::string_view bytes) {
        auto client = fixture.connect();
        client.send(bytes);
        const auto answer = client.receive();
        if (!answer) return 0;
        EXPECT_EQ(answer->head.fields.get("connection"), "close");
        EXPECT_TRUE(client.ends());
        return answer->status();
    }

    ServerFixture fixture{hostile_routes, {.limits = patient_limits()}};
    RawClient bystander = fixture.connect();

    static ServerLimits patient_limits() {
        ServerLimits limits = quick_limits();
        limits.idle_timeout = Millis(60'000);
        limits.linger_timeout = Millis(5000);
        return limits;
    }
};

TEST_F(Hostile, AHeadThatComesTooSlowlyIs408) {
    auto client = fixture.connect();
    client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    EXPECT_EQ(client.receive()->status(), 408);
    EXPECT_TRUE(client.ends());
}

// One byte now and then does not buy more time.
TEST_F(Hostile, ASlowlorisIsCutThoughItKeepsSending) {
    auto client = fixture.connect();
    client.send("GET /hello HTTP/1.1\r\nHost: a\r\n");
    int sent = 0;
    while (client.send("X-a: b\r\n")) {
        ++sent;
        expect_bystander_served();
        if (fixture.counts().timed_out_total > 0) break;
    }
    EXPECT_GT(sent, 0);
    EXPECT_THAT(client.read_to_end(), ::testing::HasSubstr("408"));
}

TEST_F(Hostile, ABodyThatNeverComesIs408) {
    auto client = fixture.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    EXPECT_EQ(client.receive()->status(), 408);
    EXPECT_TRUE(client.ends());
}

TEST_F(Hostile, AMebibyteOfHeaderIs431) {
    EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(1'048'576, 'x')),
              431);
    EXPECT_EQ(status_of("GET /" + std::string(1'048'576, 'x')), 414);
    std::string many = "GET /hello HTTP/1.1\r\nHost: a\r\n";
    for (int i = 0; i < 200; ++i) many += "X: y\r\n";
    EXPECT_EQ(status_of(many + "\r\n"), 431);
}

TEST_F(Hostile, A100MebibyteBodyIs413BeforeItIsRead) {
    auto client = fixture.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 104857600\r\n\r\n");
    EXPECT_EQ(client.receive()->status(), 413);
    const std::string mebibyte(1'048'576, 'x');
    int sent = 0;
    while (sent < 100 && client.send(mebibyte)) ++sent;
    EXPECT_EQ(status_of("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "6400000\r\n" +
                        mebibyte),
              413);
}

TEST_F(Hostile, ABodyThatAsksFirstIsRefusedWithoutContinue) {
    EXPECT_EQ(status_of("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 104857600\r\n"
                        "Expect: 100-continue\r\n\r\n"),
              413);
    EXPECT_EQ(status_of("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                        "Expect: 100-continue\r\n\r\n"),
              404);
}

TEST_F(Hostile, BrokenChunkingIs400) {
    const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(status_of(head + "zzzz\r\n"), 400);
    EXPECT_EQ(status_of(head + "3\r\nabcd\r\n0\r\n\r\n"), 400);
    EXPECT_EQ(status_of(head + "ffffffffffffffffff\r\n"), 400);
}

TEST_F(Hostile, SmugglingFormsAre400AndWhatFollowsIsNotServed) {
    const std::string hidden = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
    for (const std::string lines :
         {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
          "Transfer-Encoding: gzip\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
          "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 5\r\n",
          "X: a\r\n folded\r\n", "Host: b\r\n", "Content-Length : 5\r\n"}) {
        auto client = fixture.connect();
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n" + hidden);
        const auto answer = client.receive();
        ASSERT_TRUE(answer) << lines;
        EXPECT_EQ(answer->status(), 400) << lines;
        EXPECT_TRUE(client.ends()) << lines;
    }
    EXPECT_EQ(status_of("GET /hello HTTP/1.1\r\n\r\n" + hidden), 400);
    EXPECT_EQ(status_of("GET /h\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of("GET /hello HTTP/1.1\nHost: a\n\n"), 400);
}

TEST_F(Hostile, WhatIsNotHttpIs400AtOnce) {
    EXPECT_EQ(status_of(std::string("\x16\x03\x01\x02\x00\x01\x00", 7)), 400);
    EXPECT_EQ(status_of(std::string(64, '\0')), 400);
    EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
}

TEST_F(Hostile, PathsThatClimbOrHideAre400) {
    for (const auto* path :
         {"/../etc/passwd", "/a/../../b", "/%2e%2e/x", "/a/%2E/b", "/a%00b", "/a%zz", "/a%"}) {
        auto client = fixture.connect();
        client.send(get(path));
        EXPECT_EQ(client.receive()->status(), 400) << path;
    }
}

TEST_F(Hostile, AHalfClosedClientIsStillAnswered) {
    auto client = fixture.connect();
    client.send(get("/hello") + get("/hello"));
    client.finish_sending();
    EXPECT_EQ(client.receive()->body, "hello");
    EXPECT_EQ(client.receive()->body, "hello");
    EXPECT_TRUE(client.ends());
    auto waiting = fixture.connect();
    waiting.send(get("/wait"));
    waiting.finish_sending();
    EXPECT_EQ(waiting.receive()->body, "you left");
    EXPECT_TRUE(waiting.ends());
}

TEST_F(Hostile, AHalfSentRequestThatEndsIsDropped) {
    auto client = fixture.connect();
    client.send("GET /hello HTTP/1.1\r\nHo");
    client.finish_sending();
    EXPECT_TRUE(client.ends());
}

TEST_F(Hostile, AClientThatVanishesFreesItsConnection) {
    for (int i = 0; i < 50; ++i) {
        auto client = fixture.connect();
        client.send(get("/wait"));
        client.reset();
    }
    fixture.wait_until([&] { return fixture.server().counts().connections == 1; });
}

TEST_F(Hostile, OneThatReadsNothingIsCut) {
    auto client = fixture.connect();
    client.send(get("/big"));
    fixture.wait_until([&] { return fixture.server().counts().timed_out_total == 1; });
    EXPECT_LT(client.read_to_end().size(), 8'000'000U);
}

TEST_F(Hostile, EndlessPipeliningIsHeldBack) {
    auto client = fixture.connect();
    // The first request waits, so all that follows is read ahead, but only up to a bound: the
    // client's sends block, which a non-blocking send shows.
    client.send(get("/wait"));
    const std::string batch(65'536, 'x');
    std::size_t taken = 0;
    while (true) {
        const ssize_t put =
            ::send(client.descriptor(), batch.data(), batch.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0) break;
        taken += static_cast<std::size_t>(put);
        expect_bystander_served();
        ASSERT_LT(taken, 64U * 1024 * 1024);
    }
    EXPECT_GT(taken, 65'536U);
}

TEST(HostileLimits, ConnectionsOverTheMaximumGet503) {
    HttpServerOptions options;
    options.limits.connections_max = 2;
    ServerFixture fixture(hostile_routes, std::move(options));
    auto first = fixture.connect();
    auto second = fixture.connect();
    first.send(get("/hello"));
    second.send(get("/hello"));
    ASSERT_TRUE(first.receive() && second.receive());
    auto third = fixture.connect();
    EXPECT_EQ(third.receive()->status(), 503);
    EXPECT_TRUE(third.ends());
    third.close();
    second.close();
    fixture.wait_until([&] { return fixture.server().counts().connections == 1; });
    auto fourth = fixture.connect();
    fourth.send(get("/hello"));
    EXPECT_EQ(fourth.receive()->body, "hello");
    EXPECT_EQ(fixture.counts().refused_connections_total, 1U);
}

// Its patience is over long before it is cut for not reading: that is one end, and counted once.
TEST(HostileLimits, OneThatReadsNothingIsCountedOnce) {
    HttpServerOptions options{.limits = quick_limits()};
    options.limits.write_stall_timeout = 10 * options.limits.idle_timeout;
    ServerFixture fixture(hostile_routes, std::move(options));
    auto client = fixture.connect();
    client.send(get("/big"));
    fixture.wait_until([&] { return fixture.server().counts().requests_total == 1; });
    fixture.wait_until([&] { return fixture.server().counts().connections == 0; });
    EXPECT_EQ(fixture.counts().timed_out_total, 1U);
}

TEST(HostileLimits, AnIdleConnectionIsClosedWithoutAWord) {
    ServerFixture fixture(hostile_routes, {.limits = quick_limits()});
    auto silent = fixture.connect();
    EXPECT_TRUE(silent.ends());
    std::optional<HeardAnswer> answer;
    while (!answer) {  // on a busy machine the server's patience may end before it is asked
        auto once = fixture.connect();
        once.send(get("/hello"));
        answer = once.receive();
        EXPECT_TRUE(once.ends());
    }
    EXPECT_EQ(answer->body, "hello");
}

}  // namespace
}  // namespace parley::net::testing
