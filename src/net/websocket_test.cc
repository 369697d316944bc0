// SPDX-License-Identifier: Apache-2.0
#include "net/websocket.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "net/limits.h"
#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

Co<void> echo(Exchange ex) {
    const bool is_long = ex.request().target == "/long";
    auto socket =
        co_await ex.upgrade({.message_bytes_max = is_long ? limits::kSocketMessageBytes : 1000});
    if (!socket) co_return;
    while (true) {
        auto text = co_await socket->receive();
        if (!text) co_return;
        if (*text == "bye") {
            socket->close(WsCode::policy, "as you wish");
        } else {
            socket->send(std::move(*text));
        }
    }
}

// Closes, and does not wait for the answer.
Co<void> leave(Exchange ex) {
    auto socket = co_await ex.upgrade();
    if (!socket) co_return;
    socket->send("farewell");
    socket->close(WsCode::normal, "that was all");
}

std::string accents(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "é";
    return text;
}

Co<void> explain_at_length(Exchange ex) {
    auto socket = co_await ex.upgrade();
    if (socket) socket->close(WsCode::policy, accents(100));
}

void socket_routes(Router& router) {
    router.get("/ws", echo);
    router.get("/reason", explain_at_length);
    router.get("/long", echo);
    router.get("/leave", leave);
    router.get("/no-ws", [](Exchange ex) { ex.refuse({.status = 403, .detail = "no"}); });
    router.get("/hello", [](Exchange ex) { ex.respond({.body = "hello"}); });
}

std::string handshake(std::string_view path = "/ws") {
    return get(path,
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
}

// A client's frame with an all-zero mask.
std::string frame(int first_byte, std::string_view payload) {
    std::string out(1, static_cast<char>(first_byte));
    if (payload.size() < 126) {
        out.push_back(static_cast<char>(0x80U | payload.size()));
    } else {
        out.push_back(static_cast<char>(0x80 | 126));
        out.push_back(static_cast<char>(payload.size() >> 8U));
        out.push_back(static_cast<char>(payload.size() & 255U));
    }
    return out.append(4, '\0').append(payload);
}

// The close code in the frame that ends `bytes`, 0 if there is none.
int close_code(std::string_view bytes) {
    const std::size_t at = bytes.rfind('\x88');
    if (at == std::string_view::npos || at + 4 > bytes.size()) return 0;
    return static_cast<unsigned char>(bytes[at + 2]) * 256 +
           static_cast<unsigned char>(bytes[at + 3]);
}

RawClient open_raw(const ServerFixture& fixture, std::string_view path = "/ws") {
    auto client = fixture.connect();
    client.send(handshake(path));
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_THAT(head, HasSubstr("101 Switching Protocols"));
    EXPECT_THAT(head, HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));  // from RFC 6455
    return client;
}

TEST(WebSocket, EchoesTextAndAnswersPings) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    client.send(frame(0x81, "hello"));
    EXPECT_EQ(client.read_until("hello"), "\x81\x05hello");
    client.send(frame(0x89, "are you there"));
    EXPECT_EQ(client.read_until("there"),
              "\x8a\x0d"
              "are you there");
    client.send(frame(0x01, "in two ") + frame(0x80, "parts"));
    EXPECT_EQ(client.read_until("parts"), "\x81\x0cin two parts");
}

TEST(WebSocket, FramesSentTogetherWithTheHandshakeAreRead) {
    ServerFixture fixture(socket_routes);
    auto client = fixture.connect();
    client.send(handshake() + frame(0x81, "early"));
    EXPECT_THAT(client.read_until("early"), HasSubstr("\x81\x05"
                                                      "early"));
}

TEST(WebSocket, FramesThatComeTogetherAreReadOneByOne) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    client.send(frame(0x81, "one") + frame(0x89, "") + frame(0x81, "two") + frame(0x81, "three"));
    EXPECT_EQ(client.read_until("three"),
              std::string("\x81\x03one\x8a\0\x81\x03two\x81\x05three", 19));
}

TEST(WebSocket, AMessageInSingleBytesIsRead) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    for (const char byte : frame(0x81, "slowly")) client.send(std::string(1, byte));
    EXPECT_EQ(client.read_until("slowly"), "\x81\x06slowly");
}

TEST(WebSocket, ACloseThatNobodyWaitsForIsStillCarriedThrough) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture, "/leave");
    EXPECT_THAT(client.read_until("that was all"), HasSubstr("farewell"));
    client.send(frame(0x81, "not for anybody") + frame(0x88, std::string("\x03\xe8", 2)));
    EXPECT_EQ(client.read_to_end(), "");
    fixture.wait_until([&] { return fixture.server().counts().websockets == 0; });
}

TEST(WebSocket, NothingFollowsAClose) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture, "/leave");
    client.read_until("that was all");
    client.send(frame(0x89, "are you there"));
    open_raw(fixture);  // the server has had its turns
    client.send(frame(0x88, std::string("\x03\xe8", 2)));
    EXPECT_EQ(client.read_to_end(), "");
}

TEST(WebSocket, TheCodeOfACloseIsRepeated) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    client.send(frame(0x88, std::string("\x0f\xa0why", 5)));
    EXPECT_EQ(client.read_to_end(), "\x88\x02\x0f\xa0");
    auto terse = open_raw(fixture);
    terse.send(frame(0x88, ""));
    EXPECT_EQ(terse.read_to_end(), "\x88\x02\x03\xe8");
}

TEST(WebSocket, RefusesWhatIsNoHandshakeAndKeepsTheConnection) {
    ServerFixture fixture(socket_routes);
    auto client = fixture.connect();
    client.send(get("/ws"));
    EXPECT_EQ(client.receive()->status(), 426);
    client.send(get("/ws",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    "Sec-WebSocket-Version: 8\r\n"));
    EXPECT_EQ(client.receive()->status(), 426);
    client.send(get("/ws",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n"));
    EXPECT_EQ(client.receive()->status(), 400);
    client.send(get("/hello"));
    EXPECT_EQ(client.receive()->body, "hello");
}

// Each hostile frame ends its own socket with the right code; the others go on.
TEST(WebSocket, ClosesOnHostileFramesWithTheRightCode) {
    ServerFixture fixture(socket_routes);
    auto bystander = open_raw(fixture);
    struct Case {
        const char* what;
        std::string bytes;
        int code;
    };
    const std::vector<Case> cases = {
        {"over the limit", frame(0x81, std::string(1001, 'x')), 1009},
        {"over the limit in parts",
         frame(0x01, std::string(600, 'x')) + frame(0x80, std::string(600, 'x')), 1009},
        {"invalid UTF-8", frame(0x81, "\xff\xfe"), 1007},
        {"cut UTF-8", frame(0x81, "\xe2\x82"), 1007},
        {"binary", frame(0x82, "data"), 1003},
        {"reserved bit", frame(0xc1, "x"), 1002},
        {"unknown opcode", frame(0x83, "x"), 1002},
        {"long ping", frame(0x89, std::string(126, 'x')), 1002},
        {"unmasked", std::string("\x81\x01x"), 1002},
        {"continuation of nothing", frame(0x80, "x"), 1002},
    };
    for (const Case& test : cases) {
        auto client = open_raw(fixture);
        client.send(test.bytes);
        if (test.code == 1003) client.send(frame(0x88, std::string("\x03\xeb", 2)));
        EXPECT_EQ(close_code(client.read_to_end()), test.code) << test.what;
    }
    bystander.send(frame(0x81, "still here"));
    EXPECT_EQ(bystander.read_until("here"), "\x81\x0astill here");
}

TEST(WebSocket, AnnouncedSizeOverTheLimitIsRefusedBeforeItComes) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    client.send(std::string("\x81\xff\x00\x00\x00\x7f\xff\xff\xff\xff\0\0\0\0", 14));
    EXPECT_EQ(close_code(client.read_to_end()), 1009);
}

Co<WsClose> talk(HttpClient* client, std::vector<std::string>* heard) {
    auto socket = co_await client->open_websocket("/ws");
    if (!socket) co_return WsClose{0, socket.error().message};
    socket->send("one");
    socket->send("two");
    socket->send("bye");
    while (true) {
        auto text = co_await socket->receive();
        if (!text) co_return socket->closed();
        heard->push_back(std::move(*text));
    }
}

TEST(WebSocket, TheClientTalksToTheServerAndLearnsTheCloseReason) {
    ServerFixture fixture(socket_routes);
    Loop loop;
    const auto url = wire::Url::parse("ws://127.0.0.1:" + std::to_string(fixture.port()));
    const auto client = HttpClient::create(loop, *url);
    std::vector<std::string> heard;
    const WsClose closed = run(loop, talk(client->get(), &heard));
    EXPECT_EQ(heard, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(closed.code, 1008);
    EXPECT_EQ(closed.reason, "as you wish");
    fixture.wait_until([&] { return fixture.server().counts().websockets == 0; });
}

Co<WsClose> listen_to_the_end(HttpClient* client) {
    auto socket = co_await client->open_websocket("/reason");
    if (!socket) co_return WsClose{0, socket.error().message};
    (void)co_await socket->receive();
    co_return socket->closed();
}

TEST(WebSocket, ALongCloseReasonIsCutBetweenCharacters) {
    ServerFixture fixture(socket_routes);
    Loop loop;
    const auto url = wire::Url::parse("ws://127.0.0.1:" + std::to_string(fixture.port()));
    const auto client = HttpClient::create(loop, *url);
    const WsClose closed = run(loop, listen_to_the_end(client->get()));
    EXPECT_EQ(closed.code, 1008);
    EXPECT_EQ(closed.reason, accents(61));
}

Co<std::size_t> talk_at_length(HttpClient* client, std::string text) {
    auto socket = co_await client->open_websocket("/long");
    if (!socket) co_return 0;
    std::size_t same = 0;
    for (int i = 0; i < 3; ++i) socket->send(text);
    for (int i = 0; i < 3; ++i) {
        const auto heard = co_await socket->receive();
        if (heard == text) ++same;
    }
    co_return same;
}

TEST(WebSocket, LongMessagesGoBothWays) {
    ServerFixture fixture(socket_routes);
    Loop loop;
    const auto url = wire::Url::parse("ws://127.0.0.1:" + std::to_string(fixture.port()));
    const auto client = HttpClient::create(loop, *url);
    std::string text(1'000'000, 'x');
    for (std::size_t i = 0; i < text.size(); i += 7) text[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(run(loop, talk_at_length(client->get(), std::move(text))), 3u);
}

Co<std::string> refused(HttpClient* client) {
    const auto socket = co_await client->open_websocket("/no-ws");
    co_return socket ? "opened" : socket.error().message;
}

TEST(WebSocket, TheClientLearnsTheStatusOfARefusal) {
    ServerFixture fixture(socket_routes);
    Loop loop;
    const auto url = wire::Url::parse("unix:" + fixture.socket_path());
    const auto client = HttpClient::create(loop, *url);
    EXPECT_THAT(run(loop, refused(client->get())), HasSubstr("403"));
}

TEST(WebSocket, DrainSendsGoingAway) {
    ServerFixture fixture(socket_routes);
    auto client = open_raw(fixture);
    std::thread drained([&] { fixture.drain(Millis(10'000)); });
    const std::string bytes = client.read_until(std::string_view("\x03\xe9", 2));
    EXPECT_EQ(bytes.substr(0, 1), "\x88");
    client.send(frame(0x88, std::string("\x03\xe9", 2)));
    drained.join();
}

}  // namespace
}  // namespace parley::net::testing
