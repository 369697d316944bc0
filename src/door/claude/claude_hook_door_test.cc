// SPDX-License-Identifier: Apache-2.0
#include "door/claude/claude_hook_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/broker.h"
#include "client/local_link.h"
#include "net/test_support.h"
#include "store/memory_engine.h"
#include "store/store.h"

namespace parley {
namespace {

constexpr std::string_view kCall =
    R"({"session_id":"s1","hook_event_name":"PreToolUse","tool_use_id":"t1",)"
    R"("tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Q?","header":"H",)"
    R"("options":[{"label":"A","description":""},{"label":"B","description":""}]}]}})";

class ClaudeHookDoorTest : public testing::Test {
protected:
    struct Parts {
        explicit Parts(net::Loop& loop)
            : store(std::make_unique<MemoryEngine>(loop.clock()),
                    {.worker = loop, .home = loop, .clock = loop.clock()}),
              broker(
                  {.home = loop, .clock = loop.clock(), .store = store, .random = system_random()}),
              endpoint({loop,
                        [this, &loop](const net::Exchange&) {
                            return ClaudeHookDoor::Visitor{std::make_unique<LocalLink>(
                                LocalLink::Wiring{loop, loop.clock(), broker},
                                unrestricted_actor("bot", "claude"))};
                        }},
                       Millis(5)) {}

        Store store;
        LoopBroker broker;
        ClaudeHookDoor endpoint;
    };

    void SetUp() override {
        server_.on_loop([this] { parts_->broker.start([](Result<void>) {}); });
        server_.wait_until([this] { return parts_->broker.is_ready(); });
    }
    void TearDown() override {
        server_.on_loop([this] { parts_.reset(); });
    }
    AskId pending() {
        server_.wait_until([this] { return parts_->broker.ledger().pending().size() == 1; });
        return server_.on_loop([this] { return parts_->broker.ledger().pending().begin()->first; });
    }
    bool has_pending() {
        return server_.on_loop([this] { return !parts_->broker.ledger().pending().empty(); });
    }

    std::optional<Parts> parts_;
    net::testing::ServerFixture server_{[this](net::Router& router) {
        parts_.emplace(server_.loop());
        parts_->endpoint.add_routes(router, {});
    }};
};

// Clients and proxies that give up on silence see bytes all the time, and JSON in the end.
TEST_F(ClaudeHookDoorTest, AHeldAnswerBeginsWithBlanksAndEndsAsJson) {
    auto client = server_.connect();
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude", kCall)));
    const AskId id = pending();
    const std::string held = client.read_until("\r\n\n\r\n1\r\n\n\r\n1\r\n\n");
    EXPECT_THAT(held, testing::StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(held, testing::HasSubstr("application/json"));
    server_.on_loop([&] {
        parts_->broker.answer(id, {{.selected = {"B"}}}, {}, unrestricted_actor("ada", "page"),
                              [](Result<SettleReply>) {});
    });
    EXPECT_THAT(client.read_until(R"("answers":{"Q?":"B"})"),
                testing::HasSubstr(R"({"hookSpecificOutput":)"));
}

// Claude Code shows it to the person as a warning.
TEST_F(ClaudeHookDoorTest, WhatIsNotKnownOfAQuestionIsToldInASystemMessage) {
    std::string call(kCall);
    call.insert(call.find(R"("header")"), R"("colour":"red",)");
    auto client = server_.connect();
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude", call)));
    const AskId id = pending();
    server_.on_loop([&] {
        parts_->broker.answer(id, {{.selected = {"B"}}}, {}, unrestricted_actor("ada", "page"),
                              [](Result<SettleReply>) {});
    });
    const std::string told = client.read_until(R"("answers":{"Q?":"B"})");
    EXPECT_THAT(told,
                testing::HasSubstr(R"({"systemMessage":"Left out of your call:\n/questions/0/)"
                                   R"(colour: \"colour\" is not known here)"));
    EXPECT_THAT(told, testing::HasSubstr(R"(,"hookSpecificOutput":{)"));
}

TEST_F(ClaudeHookDoorTest, AClientThatLeavesAHeldAnswerTakesItsAskAlong) {
    auto client = server_.connect();
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude", kCall)));
    (void)pending();
    client.read_until("\r\n\n\r\n");
    client.close();
    server_.wait_until([this] { return parts_->broker.ledger().pending().empty(); });
}

TEST_F(ClaudeHookDoorTest, AServerThatStopsHasNoOpinionAndKeepsTheAsk) {
    auto client = server_.connect();
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude", kCall)));
    (void)pending();
    client.read_until("\r\n\n\r\n");
    server_.drain(std::chrono::seconds(5));
    EXPECT_THAT(client.read_to_end(), testing::HasSubstr("{}"));
    EXPECT_TRUE(has_pending());
}

TEST_F(ClaudeHookDoorTest, WhatIsNoHookCallIsRefused) {
    auto client = server_.connect();
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude", "{}")));
    EXPECT_EQ(client.receive(wire::Method::post)->status(), 400);
    ASSERT_TRUE(client.send(net::testing::post("/hooks/claude?on_timeout=maybe", kCall)));
    EXPECT_EQ(client.receive(wire::Method::post)->status(), 400);
}

}  // namespace
}  // namespace parley
