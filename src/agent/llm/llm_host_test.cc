// SPDX-License-Identifier: Apache-2.0
// Models that a server hosts: a real server on the loopback that speaks as one, and a broker on the
// test's own loop.
#include "agent/llm/llm_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <random>

#include "client/local_link.h"
#include "net/test_support.h"
#include "store/memory_engine.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kCall =
    R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function",)"
    R"("function":{"name":"AskUserQuestion","arguments":"{\"questions\":[{\"question\":\"Q?\",)"
    R"(\"header\":\"H\",\"multiSelect\":false,\"options\":[{\"label\":\"A\",\"description\":)"
    R"(\"a\"},{\"label\":\"B\",\"description\":\"b\"}]}]}"}}]},"finish_reason":"tool_calls"}]})";

class LlmHostTest : public testing::Test {
public:
    ~LlmHostTest() override {
        host_.reset();
        std::filesystem::remove_all(folder_);
    }

protected:
    LlmHostTest() {
        std::filesystem::create_directories(folder_);
        broker_.start([this](const Result<void>&) { loop_.stop(); });
        loop_.run();
    }

    JournalFolder journals() {
        return *JournalFolder::open(folder_,
                                    [random = std::mt19937_64(7)]() mutable { return random(); });
    }
    void begin(std::size_t most = limits::kHostedMax) {
        host_.reset();
        acting_ = std::make_unique<LocalLink>(
            wiring_, Actor{.principal = journals().principal(), .door = "test"});
        host_ = std::make_unique<LlmHost>(
            LlmHost::Wiring{
                .loop = loop_,
                .watching = watching_,
                .acting = *acting_,
                .claim = [this](SessionId,
                                UniqueFunction<void(bool)> done) { done(is_claim_given_); },
                .failed = [this](const Error& error) { failures_.push_back(error.message); },
                .most = most},
            LlmHost::Settings{
                .profile = {.api = llm::Api::openai, .model = "m", .context_tokens = 1000},
                .server = {.address = *wire::Url::parse("http://127.0.0.1:" +
                                                        std::to_string(model_.port())),
                           .api = llm::Api::openai},
                .journals = journals()});
        host_->start();
    }

    // Runs the loop until it is so; a test that waits in vain ends by its time limit.
    void until(const std::function<bool()>& is_so) {
        const std::function<void()> look = [&] {
            if (is_so()) return loop_.stop();
            loop_.post_at(loop_.now() + std::chrono::milliseconds(1), [&] { look(); });
        };
        loop_.post([&] { look(); });
        loop_.run();
    }
    void say(std::string_view session) {
        bool is_said = false;
        broker_.say(session, "hello", ada_, [&](const Result<Said>&) { is_said = true; });
        until([&] { return is_said; });
    }
    // Whether all that people said there was taken by an agent.
    bool is_heard(std::string_view name) {
        const auto* entry = broker_.ledger().find_session(name);
        return entry != nullptr && entry->messages.empty() &&
               entry->session->activity == Activity::idle;
    }
    std::string owner(std::string_view name) {
        return broker_.ledger().find_session(name)->session->owner;
    }
    std::string notices(std::string_view name) {
        std::optional<std::string> all;
        watching_.list_log(name, std::nullopt, [&](const Result<SessionLog>& log) {
            all.emplace();
            for (const EventPtr& event : log->events)
                if (const auto* notice = std::get_if<NoticeGiven>(&event->body))
                    *all += notice->text + "\n";
        });
        until([&] { return all.has_value(); });
        return *all;
    }

    std::atomic<int> status_ = 200;
    std::atomic<int> requests_ = 0;
    std::atomic<bool> is_asking_ = false;
    net::testing::ServerFixture model_{[this](net::Router& router) {
        router.post("/v1/chat/completions", [this](net::Exchange ex) {
            ++requests_;
            if (status_ != 200) return ex.respond({.status = status_, .content_type = net::kJson});
            net::Stream stream = ex.start_stream(net::sse_options());
            if (is_asking_ && ex.request().body.find("tool_call_id") == std::string::npos) {
                stream.send(wire::SseEvent{.data = std::string(kCall)});
            } else
                stream.send(
                    wire::SseEvent{.data = R"({"choices":[{"index":0,"delta":{"content":"Hello"},)"
                                           R"("finish_reason":"stop"}]})"});
            stream.send(wire::SseEvent{.data = "[DONE]"});
            stream.end();
        });
    }};
    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("parley-host-" + std::to_string(::getpid()));
    const Actor ada_ = unrestricted_actor("ada", "test");
    bool is_claim_given_ = true;
    std::vector<std::string> failures_;
    net::Loop loop_;
    Store store_{std::make_unique<MemoryEngine>(loop_.clock()), {loop_, loop_, loop_.clock()}};
    LoopBroker broker_{{loop_, loop_.clock(), store_,
                        [random = std::mt19937_64(1)]() mutable { return random(); }}};
    const LocalLink::Wiring wiring_{loop_, loop_.clock(), broker_};
    LocalLink watching_{wiring_, unrestricted_actor("watch", "test")};
    std::unique_ptr<LocalLink> acting_;
    std::unique_ptr<LlmHost> host_;
};

TEST_F(LlmHostTest, ASessionThatAPersonSpeaksInBecomesThisNodes) {
    begin();
    say("chat");
    until([&] { return is_heard("chat"); });
    EXPECT_EQ(owner("chat"), journals().principal());
    EXPECT_EQ(requests_, 1);
}

TEST_F(LlmHostTest, WhatFailsIsForTheSessionAndForWhoRunsTheServer) {
    status_ = 401;
    begin();
    say("chat");
    until([&] { return !failures_.empty(); });
    EXPECT_THAT(failures_, ElementsAre(HasSubstr("m cannot be asked: 401")));
    EXPECT_THAT(notices("chat"), HasSubstr("m cannot be asked: 401"));
}

TEST_F(LlmHostTest, ARequestThatFailedIsMadeAgainByTheNextProcess) {
    status_ = 401;
    begin();
    say("chat");
    until([&] { return !failures_.empty(); });
    status_ = 200;
    begin();
    until([&] { return requests_ == 2 && is_heard("chat"); });
    EXPECT_EQ(failures_.size(), 1U);
}

TEST_F(LlmHostTest, OneThatHasNothingToDoIsNotBegunAfterAStart) {
    begin();
    say("chat");
    until([&] { return is_heard("chat"); });
    begin();
    say("other");
    until([&] { return is_heard("other"); });
    EXPECT_EQ(requests_, 2);
}

TEST_F(LlmHostTest, MoreThanAreServedAtOnceTakeTurns) {
    begin(1);
    for (const char* name : {"a", "b", "c", "a"}) {
        say(name);
        until([&] { return is_heard(name); });
    }
    EXPECT_EQ(requests_, 4);
}

TEST_F(LlmHostTest, OneThatWaitsForAnAnswerMakesRoomAndGoesOnWithIt) {
    begin(1);
    is_asking_ = true;
    say("asks");
    until([&] { return broker_.ledger().pending().size() == 1; });
    const AskId asked = broker_.ledger().pending().begin()->first;
    is_asking_ = false;
    say("other");
    until([&] { return is_heard("other"); });
    is_asking_ = true;
    broker_.answer(asked, {{.selected = {"A"}}}, {}, ada_, [](const Result<SettleReply>&) {});
    until([&] { return requests_ == 3 && is_heard("asks"); });
    EXPECT_THAT(failures_, IsEmpty());
}

TEST_F(LlmHostTest, SessionsOfAnotherNodeAreLeftToIt) {
    begin();
    say("chat");
    until([&] { return is_heard("chat"); });
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const std::string theirs = owner("chat");
    std::filesystem::remove(folder_ / "node");
    ASSERT_TRUE(JournalFolder::open(folder_, [] { return std::uint64_t{9}; }));
    begin();
    say("chat");
    say("other");
    until([&] { return is_heard("other"); });
    EXPECT_EQ(owner("chat"), theirs);
    EXPECT_FALSE(is_heard("chat"));
    EXPECT_NE(owner("other"), theirs);
}

TEST_F(LlmHostTest, OneThatAnotherNodeHasClaimedIsServedWhenItIsLeft) {
    is_claim_given_ = false;
    begin();
    say("chat");
    is_claim_given_ = true;
    host_->agent_left(broker_.ledger().find_session("chat")->session->id);
    until([&] { return is_heard("chat"); });
    EXPECT_EQ(requests_, 1);
}

}  // namespace
}  // namespace parley
