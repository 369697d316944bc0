// SPDX-License-Identifier: Apache-2.0
// What a client sends while the answer to its last request is just being given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "net/test_support.h"
#include "net/websocket.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

class ReadAhead : public ::testing::Test {
protected:
    // Sends a request that is held, and more with it, and waits until the server has them.
    void send_held(const std::string& more = {}) {
        client_.send(get("/held") + more);
        server_.wait_until([this] { return held_.has_value(); });
    }
    // The loop finds that the client did something, and before it looks at that, answers.
    void answer_after(const std::function<void()>& act) {
        server_.on_loop([&] {
            act();
            server_.loop().post([this] {
                held_->respond({.content_type = kPlainText, .body = "held"});
                held_.reset();
            });
        });
    }
    std::string next_body() { return client_.receive().value_or(HeardAnswer{}).body; }

    std::optional<Exchange> held_;  // the loop's
    ServerFixture server_{[this](Router& router) {
        router.get("/held", [this](Exchange ex) { held_.emplace(std::move(ex)); });
        router.get("/hello", [](Exchange ex) { ex.respond({.body = "hello"}); });
        router.get("/ws", [](Exchange ex) -> Co<void> { (void)co_await ex.upgrade(); });
    }};
    RawClient client_ = server_.connect();
};

TEST_F(ReadAhead, TheRestOfARequestComesAfterItsBeginning) {
    const std::string next = get("/hello");
    send_held(next.substr(0, next.size() / 2));
    answer_after([&] { client_.send(next.substr(next.size() / 2)); });
    EXPECT_EQ(next_body(), "held");
    EXPECT_EQ(next_body(), "hello");
}

TEST_F(ReadAhead, AllRequestsBeforeAHalfCloseAreAnswered) {
    send_held(get("/hello") + get("/hello"));
    answer_after([&] { client_.finish_sending(); });
    EXPECT_EQ(next_body(), "held");
    EXPECT_EQ(next_body(), "hello");
    EXPECT_EQ(next_body(), "hello");
    EXPECT_TRUE(client_.ends());
}

TEST_F(ReadAhead, AnAnswerComesBeforeTheUpgradeThatFollowsIt) {
    const std::string upgrade =
        get("/ws",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    send_held();
    answer_after([&] { client_.send(upgrade); });
    EXPECT_EQ(next_body(), "held");
    EXPECT_THAT(client_.read_until("\r\n\r\n"), HasSubstr("101 Switching Protocols"));

    RawClient other = server_.connect();
    other.send(get("/hello") + upgrade);
    EXPECT_EQ(other.receive().value_or(HeardAnswer{}).body, "hello");
    EXPECT_THAT(other.read_until("\r\n\r\n"), HasSubstr("101 Switching Protocols"));
}

}  // namespace
}  // namespace parley::net::testing
