// SPDX-License-Identifier: Apache-2.0
// What peers can make a server hold that do not read, or do not send on: little each, and not more
// than a budget all together.
#include "net/held_bytes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"
#include "net/write_pace.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kBig = 8'000'000;  // more than the kernel keeps for one connection

Co<void> listen(Exchange ex) {
    auto socket = co_await ex.upgrade({.stall_timeout = Millis(50)});
    if (!socket) co_return;
    while (co_await socket->receive()) {
    }
}

void held_routes(Router& router) {
    router.get("/small", [](Exchange ex) { ex.respond({.body = std::string(20'000, 's')}); });
    router.get("/big", [](Exchange ex) { ex.respond({.body = std::string(kBig, 'b')}); });
    router.post("/echo", [](Exchange ex) { ex.respond({.body = ex.body()}); },
                {.body_bytes_max = kBig});
    // Answers when the client leaves.
    router.post("/wait",
                [](Exchange ex) {
                    auto kept = std::make_shared<Exchange>(std::move(ex));
                    kept->on_peer_gone([kept] { kept->respond({.body = "you left"}); });
                },
                {.body_bytes_max = kBig});
    router.get("/socket", listen);
}

ServerLimits patient() {
    ServerLimits limits;
    limits.sweep_interval = Millis(5);
    return limits;
}

// Sends without waiting; how much was taken.
std::size_t send_some(RawClient& client, std::string_view bytes) {
    const ssize_t put =
        ::send(client.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return put < 0 ? 0 : static_cast<std::size_t>(put);
}

// Until the server takes no more; how many whole requests that were.
std::size_t pipeline_until_refused(ServerFixture& fixture, RawClient& client,
                                   const std::string& request) {
    std::string batch;
    for (int i = 0; i < 100; ++i) batch += request;
    std::size_t sent = 0;
    for (int idle = 0; idle < 100;) {
        const std::size_t from = sent % batch.size();
        const std::size_t put = send_some(client, std::string_view(batch).substr(from));
        sent += put;
        idle = put == 0 ? idle + 1 : 0;
        (void)fixture.counts();  // a turn of the loop
    }
    return sent / request.size();
}

TEST(HeldBytes, AreGivenBackWithTheirHolder) {
    const auto total = std::make_shared<HeldTotal>(HeldTotal{.bytes_max = 10});
    {
        HeldBytes one(total);
        HeldBytes other(total);
        one.set(8);
        other.set(3);
        EXPECT_TRUE(one.is_full());
        one.set(2);
        EXPECT_EQ(total->bytes, 5U);
        EXPECT_FALSE(one.is_full());
    }
    EXPECT_EQ(total->bytes, 0U);
}

TEST(WritePace, AFewBytesNowAndThenAreAStall) {
    WritePace pace;
    const Mono start{};
    EXPECT_FALSE(pace.is_stalled(start + Millis(999), Millis(100), 10));
    pace.wait(start);
    pace.took(9);
    EXPECT_FALSE(pace.is_stalled(start + Millis(100), Millis(100), 10));
    EXPECT_TRUE(pace.is_stalled(start + Millis(101), Millis(100), 10));
    pace.took(1);
    EXPECT_FALSE(pace.is_stalled(start + Millis(101), Millis(100), 10)) << "a new window begins";
    EXPECT_TRUE(pace.is_stalled(start + Millis(202), Millis(100), 10));
    pace.clear();
    EXPECT_FALSE(pace.is_stalled(start + Millis(999), Millis(100), 10));
}

TEST(Held, AnswersThatNobodyReadsHoldUpTheNextRequests) {
    ServerFixture fixture(held_routes, {.limits = patient()});
    auto client = fixture.connect();
    const std::size_t asked = pipeline_until_refused(
        fixture, client, get("/small", "X-Long: " + std::string(9000, 'x') + "\r\n"));
    EXPECT_LT(fixture.counts().held_bytes, 64U * 1024);
    EXPECT_LT(fixture.counts().requests_total, asked) << "none is taken before its turn";
    for (std::size_t i = 0; i < asked; ++i) {
        const auto answer = client.receive();
        ASSERT_TRUE(answer) << i << " of " << asked;
        ASSERT_EQ(answer->body.size(), 20'000U);
    }
    EXPECT_EQ(fixture.counts().requests_total, asked);
}

TEST(Held, ATrickleOfReadingBuysNoTime) {
    ServerLimits limits = patient();
    limits.write_stall_timeout = Millis(50);
    ServerFixture fixture(held_routes, {.limits = limits});
    auto client = fixture.connect();
    client.send(get("/big"));
    char byte = 0;
    while (fixture.counts().timed_out_total == 0) {
        (void)::recv(client.descriptor(), &byte, 1, MSG_DONTWAIT);
    }
    EXPECT_LT(client.read_to_end().size(), kBig);
}

TEST(Held, NothingIsKeptOfABodyThatIsRefused) {
    ServerFixture fixture(held_routes, {.limits = patient()});
    auto client = fixture.connect();
    client.send(fmt::format("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}",
                            60'000, std::string(50'000, 'x')));
    fixture.wait_until([&] { return fixture.server().counts().requests_total == 1; });
    EXPECT_LT(fixture.counts().held_bytes, 20'000U);
    client.send(std::string(10'000, 'x'));
    EXPECT_EQ(client.receive()->status(), 404);
}

TEST(Held, AnIdleConnectionKeepsNothingOfALargeBody) {
    ServerFixture fixture(held_routes, {.limits = patient()});
    auto client = fixture.connect();
    client.send(post("/echo", std::string(4'000'000, 'x')));
    ASSERT_EQ(client.receive()->body.size(), 4'000'000U);
    fixture.wait_until([&] { return fixture.server().counts().held_bytes < 100'000; });
}

TEST(Held, OverTheBudgetNewRequestsAre503AndTheSlowestIsCut) {
    ServerLimits limits = patient();
    limits.held_bytes = 1'000'000;
    limits.held_patience = Millis(500);
    ServerFixture fixture(held_routes, {.limits = limits});
    auto hoarder = fixture.connect();
    hoarder.send(get("/big"));
    fixture.wait_until([&] { return fixture.server().counts().held_bytes > 1'000'000; });
    auto client = fixture.connect();
    client.send(get("/small"));
    const auto refused = client.receive();
    ASSERT_TRUE(refused);
    if (fixture.counts().given_up_total == 0) {
        EXPECT_EQ(refused->status(), 503);
        EXPECT_EQ(refused->head.fields.get("retry-after"), "1");
    }
    auto owner = RawClient::unix_path(fixture.socket_path());
    owner.send(get("/small"));
    EXPECT_EQ(owner.receive()->status(), 200);
    fixture.wait_until([&] { return fixture.server().counts().given_up_total == 1; });
    EXPECT_LT(hoarder.read_to_end().size(), kBig);
    client.send(get("/small"));
    EXPECT_EQ(client.receive()->status(), 200);
    EXPECT_EQ(fixture.counts().held_bytes < 100'000, true);
}

TEST(Held, AnswersThatWereAskedForBeforeAreNotKeptOverTheBudgetEither) {
    ServerLimits limits = patient();
    limits.held_bytes = 20'000'000;
    limits.held_patience = Millis(60'000);
    // All of them are let in before the first is answered.
    auto waiting = std::make_shared<std::vector<Exchange>>();
    const auto late_routes = [waiting](Router& router) {
        router.get("/late", [waiting](Exchange ex) { waiting->push_back(std::move(ex)); });
    };
    ServerFixture fixture(late_routes, {.limits = limits});
    std::vector<RawClient> clients;
    for (int i = 0; i < 10; ++i) {
        clients.push_back(fixture.connect());
        clients.back().send(get("/late"));
    }
    fixture.wait_until([&] { return waiting->size() == 10; });
    fixture.on_loop([&] {
        for (Exchange& each : *waiting) each.respond({.body = std::string(kBig, 'b')});
        waiting->clear();
    });
    EXPECT_LT(fixture.counts().held_bytes, limits.held_bytes + 2 * kBig);
    EXPECT_GT(fixture.counts().refused_full_total, 0U);
}

TEST(Held, ABodyThatGrowsOverTheBudgetIs503) {
    ServerLimits limits = patient();
    limits.held_bytes = 1'000'000;
    ServerFixture fixture(held_routes, {.limits = limits});
    auto client = fixture.connect();
    client.send(
        fmt::format("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"
                    "Content-Length: {}\r\n\r\n",
                    kBig));
    for (std::size_t sent = 0; sent < 4'000'000; sent += 100'000) {
        if (!client.send(std::string(100'000, 'x'))) break;
    }
    EXPECT_EQ(client.receive()->status(), 503);
}

std::string socket_handshake() {
    return get("/socket",
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
}

std::string ping(std::string_view payload) {
    return std::string("\x89") + static_cast<char>(0x80U | payload.size()) + std::string(4, '\0') +
           std::string(payload);
}

TEST(Held, OfManyPingsOnlyTheNewestIsAnswered) {
    ServerFixture fixture(held_routes, {.limits = patient()});
    auto client = fixture.connect();
    client.send(socket_handshake());
    ASSERT_THAT(client.read_until("\r\n\r\n"), HasSubstr("101"));
    std::string batch;
    for (int i = 0; i < 1000; ++i) batch += ping(std::string(120, 'p'));
    std::size_t offset = 0;
    while (fixture.counts().websockets == 1) {
        offset =
            (offset + send_some(client, std::string_view(batch).substr(offset))) % batch.size();
        ASSERT_LT(fixture.counts().held_bytes, 64U * 1024);
    }
}

// They may wait for a person, for as long as that takes, and must not keep others out meanwhile.
TEST(Held, RequestsThatWaitForTheirAnswerHoldNoBodies) {
    ServerLimits limits = patient();
    limits.held_bytes = 1'000'000;
    ServerFixture fixture(held_routes, {.limits = limits});
    std::vector<RawClient> waiting;
    for (std::uint64_t i = 1; i <= 5; ++i) {
        waiting.push_back(fixture.connect());
        waiting.back().send(post("/wait", std::string(600'000, 'x')));
        fixture.wait_until([&] { return fixture.server().counts().requests_total == i; });
    }
    fixture.wait_until([&] { return fixture.server().counts().held_bytes < 100'000; });
    auto client = fixture.connect();
    client.send(get("/small"));
    EXPECT_EQ(client.receive()->status(), 200);
}

TEST(Held, AMessageThatGrowsOverTheBudgetEndsItsSocket) {
    ServerLimits limits = patient();
    limits.held_bytes = 300'000;
    ServerFixture fixture(held_routes, {.limits = limits});
    auto client = fixture.connect();
    client.send(socket_handshake());
    ASSERT_THAT(client.read_until("\r\n\r\n"), HasSubstr("101"));
    // Two million bytes are announced.
    client.send(std::string("\x81\xff\0\0\0\0\0\x1e\x84\x80\0\0\0\0", 14));
    for (int i = 0; i < 20 && client.send(std::string(50'000, 'x')); ++i) {
    }
    const std::string end = client.read_to_end();
    ASSERT_GE(end.size(), 4U);
    EXPECT_EQ(static_cast<unsigned char>(end[0]), 0x88U);
    EXPECT_EQ(end.substr(2, 2), "\x03\xf5") << "1013: try again later";
    fixture.wait_until([&] { return fixture.server().counts().websockets == 0; });
    EXPECT_LT(fixture.counts().held_bytes, 100'000U);
}

}  // namespace
}  // namespace parley::net::testing
