// SPDX-License-Identifier: Apache-2.0
// A request to a model's server that is asked again: a real server on the loopback, and minutes
// that pass when the test says so.
#include "agent/llm/model_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "agent/limits.h"
#include "net/test_support.h"
#include "support/sim_world.h"

namespace parley {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ModelCallTest : public testing::Test, public ModelCall::Listener {
protected:
    // The refusals, one a request; after the last the model speaks.
    void serve(int status, std::string retry_after, int refusals) {
        fixture_ = std::make_unique<net::testing::ServerFixture>([=, this](net::Router& router) {
            router.post("/v1/chat/completions", [=, this](net::Exchange ex) {
                if (++requests_ > refusals) return speak(ex);
                net::Response response{.status = status, .content_type = net::kJson, .body = "{}"};
                if (!retry_after.empty()) response.headers.add("Retry-After", retry_after);
                ex.respond(std::move(response));
            });
        });
        auto address =
            wire::Url::parse("http://127.0.0.1:" + std::to_string(fixture_->port()) + "/v1");
        server_ = *ModelServer::create(loop_, {.address = *address, .api = llm::Api::openai});
        call_ = std::make_unique<ModelCall>(home_, clock_, *server_, random_, *this);
        call_->start();
        loop_.run();
    }
    static void speak(net::Exchange& ex) {
        net::Stream stream = ex.start_stream(net::sse_options());
        stream.send(wire::SseEvent{.data = R"({"choices":[{"index":0,"delta":{"content":"Hello"},)"
                                           R"("finish_reason":"stop"}]})"});
        stream.send(wire::SseEvent{.data = "[DONE]"});
        stream.end();
    }
    // True: the call has waited long enough, and what came of it is there.
    bool pass(Millis time) {
        clock_.advance(time);
        if (!home_.run_one()) return false;
        loop_.run();
        return true;
    }

    // ModelCall::Listener
    std::string request_body() override { return "{}"; }
    void model_says(llm::ResponseReader::Piece piece) override { words_ += piece.text; }
    void model_begins_again(std::string why) override {
        begun_again_.push_back(std::move(why));
        loop_.stop();
    }
    void model_said(llm::Response) override {
        is_said_ = true;
        loop_.stop();
    }
    void model_failed(std::string why) override {
        failure_ = std::move(why);
        loop_.stop();
    }

    net::Loop loop_;
    sim::SimClock clock_;
    sim::SimExecutor home_{clock_};
    RandomBits random_ = [] { return std::uint64_t{0}; };
    std::atomic<int> requests_ = 0;
    std::vector<std::string> begun_again_;
    std::string words_;
    std::string failure_;
    bool is_said_ = false;
    std::unique_ptr<net::testing::ServerFixture> fixture_;
    std::unique_ptr<ModelServer> server_;
    std::unique_ptr<ModelCall> call_;
};

TEST_F(ModelCallTest, WaitsTenMinutesWhereTheServerSaysSo) {
    serve(429, "600", 1);
    EXPECT_THAT(begun_again_, ElementsAre(HasSubstr("asked again in 10 min (try 2 of 8)")));
    EXPECT_FALSE(pass(std::chrono::minutes(10) - Millis(1)));
    EXPECT_EQ(requests_, 1);
    EXPECT_TRUE(pass(Millis(1)));
    EXPECT_EQ(requests_, 2);
    EXPECT_TRUE(is_said_);
    EXPECT_EQ(words_, "Hello");
}

TEST_F(ModelCallTest, WaitsAsLongAgainAtEachRefusal) {
    serve(529, "600", 3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(pass(std::chrono::minutes(9)));
        EXPECT_TRUE(pass(std::chrono::minutes(1)));
    }
    EXPECT_TRUE(is_said_);
    EXPECT_EQ(begun_again_.size(), 3U);
}

TEST_F(ModelCallTest, AServerThatWantsMoreThanThatIsNotWaitedFor) {
    serve(429, "601", 1);
    EXPECT_THAT(failure_, HasSubstr("10 min 1 s"));
    EXPECT_THAT(failure_, HasSubstr("too long"));
    EXPECT_FALSE(pass(std::chrono::hours(1)));
    EXPECT_EQ(requests_, 1);
}

TEST_F(ModelCallTest, WithoutAWordFromTheServerItsPatienceGrowsAndEnds) {
    serve(529, "", 100);  // with a 503 a server of ours says when
    Millis waited = Millis::zero();
    for (int i = 1; i < limits::kLlmTriesMax; ++i) {
        ASSERT_TRUE(home_.next_timer());
        const auto wait = std::chrono::duration_cast<Millis>(*home_.next_timer() - clock_.mono());
        EXPECT_GT(wait, waited);
        EXPECT_LE(wait, limits::kLlmDelayMax);
        waited = wait;
        EXPECT_TRUE(pass(wait));
    }
    EXPECT_EQ(requests_, limits::kLlmTriesMax);
    EXPECT_THAT(failure_, HasSubstr("asked 8 times, given up"));
}

TEST_F(ModelCallTest, ACallThatIsGivenUpWhileItWaitsAsksNoMore) {
    serve(429, "600", 1);
    call_.reset();
    clock_.advance(std::chrono::minutes(10));
    EXPECT_TRUE(home_.run_one());
    EXPECT_FALSE(is_said_);
    EXPECT_THAT(failure_, IsEmpty());
    EXPECT_EQ(requests_, 1);
}

}  // namespace
}  // namespace parley
