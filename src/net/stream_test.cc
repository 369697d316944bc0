// SPDX-License-Identifier: Apache-2.0
#include "net/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "net/test_support.h"

namespace parley::net::testing {
namespace {

using ::testing::HasSubstr;

// Keeps every stream that is opened at /events.
struct Hub {
    void add_routes(Router& router) {
        router.get("/events", [this](Exchange ex) {
            StreamOptions options = sse_options();
            options.queue_bytes_max = queue_bytes_max;
            options.heartbeat_interval = heartbeat_interval;
            streams.push_back(ex.start_stream(std::move(options)));
            streams.back().on_end([this](StreamEnd end) { ends.push_back(end); });
        });
        router.get("/hello", [](Exchange ex) { ex.respond({.body = "hello"}); });
        router.set_after_hook([this](const AccessRecord& record) {
            records.push_back(std::string(record.pattern) + " " + std::string(record.path) + " " +
                              std::to_string(record.status));
        });
    }

    std::list<Stream> streams;
    std::vector<StreamEnd> ends;
    std::vector<std::string> records;
    std::size_t queue_bytes_max = 1'000'000;
    Millis heartbeat_interval = Millis(60'000);
};

class StreamTest : public ::testing::Test {
protected:
    void open(HttpServerOptions options = {}) {
        fixture.emplace([this](Router& router) { hub.add_routes(router); }, std::move(options));
    }
    void wait_for_streams(std::size_t count) {
        fixture->wait_until([&] { return hub.streams.size() == count; });
    }
    RawClient subscribe(std::string_view lines = {}) {
        const std::size_t before = fixture->on_loop([&] { return hub.streams.size(); });
        auto client = fixture->connect();
        client.send(get("/events", lines));
        wait_for_streams(before + 1);
        return client;
    }
    void TearDown() override {
        if (fixture) fixture->on_loop([&] { hub.streams.clear(); });
    }

    Hub hub;
    std::optional<ServerFixture> fixture;
};

TEST_F(StreamTest, OneEncodedEventReachesEverySubscriber) {
    open();
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(subscribe());
    fixture->on_loop([&] {
        const SharedChunk event = SharedChunk::sse({.data = "one", .event = "x", .id = "1"});
        const SharedChunk other = SharedChunk::sse({.data = "two", .id = "2"});
        for (Stream& stream : hub.streams) {
            EXPECT_TRUE(stream.send(event));
            EXPECT_TRUE(stream.send(other));
        }
    });
    for (RawClient& client : clients) {
        const auto head = client.receive_head();
        ASSERT_TRUE(head);
        EXPECT_EQ(head->fields.get("content-type"), "text/event-stream");
        EXPECT_EQ(head->fields.get("cache-control"), "no-cache, no-transform");
        const std::string bytes = client.read_until("two");
        EXPECT_THAT(bytes, HasSubstr("id: 1\nevent: x\ndata: one\n\n"));
    }
    EXPECT_EQ(fixture->counts().streams, 20U);
}

TEST_F(StreamTest, EndLetsTheConnectionServeTheNextRequest) {
    open();
    auto client = subscribe();
    client.send(get("/hello"));
    fixture->on_loop([&] {
        hub.streams.front().send("last words");
        hub.streams.front().end();
    });
    EXPECT_EQ(client.receive()->body, "last words");
    EXPECT_EQ(client.receive()->body, "hello");
    fixture->on_loop([&] {
        EXPECT_EQ(hub.records.front(), "/events /events 200");
        EXPECT_TRUE(hub.ends.empty());
    });
}

TEST_F(StreamTest, AbortBreaksTheBodyOff) {
    open();
    auto client = subscribe();
    fixture->on_loop([&] {
        hub.streams.front().send("said before");
        hub.streams.front().abort();
    });
    const std::string bytes = client.read_to_end();
    EXPECT_THAT(bytes, HasSubstr("said before"));
    EXPECT_THAT(bytes, ::testing::Not(HasSubstr("\r\n0\r\n\r\n")));
}

TEST_F(StreamTest, ASubscriberThatLeavesIsTold) {
    open();
    auto staying = subscribe();
    {
        auto leaving = subscribe();
        auto vanishing = subscribe();
        vanishing.reset();
    }
    fixture->wait_until([&] { return hub.ends.size() == 2; });
    fixture->on_loop([&] {
        EXPECT_THAT(hub.ends, ::testing::Each(StreamEnd::peer_closed));
        EXPECT_TRUE(hub.streams.front().is_open());
        EXPECT_FALSE(hub.streams.back().is_open());
        EXPECT_FALSE(hub.streams.back().send("anybody?"));
    });
    EXPECT_EQ(fixture->counts().streams, 1U);
}

// A subscriber that does not read is cut when its queue is full; another one on the same events
// gets all of them.
TEST_F(StreamTest, ASlowSubscriberIsCutAndTheOthersMissNothing) {
    open();
    auto slow = subscribe();
    auto quick = subscribe();
    const std::string event(10'000, 'e');
    std::size_t sent = 0;
    while (true) {
        const bool cut = fixture->on_loop([&] {
            const SharedChunk chunk(event);
            hub.streams.back().send(chunk);
            return !hub.streams.front().send(chunk);
        });
        ++sent;
        quick.read_until(event);
        if (cut) break;
        ASSERT_LT(sent, 100'000U);
    }
    fixture->wait_until([&] { return hub.ends.size() == 1; });
    fixture->on_loop([&] {
        EXPECT_EQ(hub.ends.front(), StreamEnd::too_slow);
        EXPECT_TRUE(hub.streams.back().is_open());
    });
    EXPECT_EQ(fixture->counts().cut_slow_total, 1U);
    EXPECT_LT(slow.read_to_end().size(), sent * event.size());
}

TEST_F(StreamTest, SilenceIsFilledWithHeartbeats) {
    hub.heartbeat_interval = Millis(1);
    open({.limits = quick_limits()});
    auto client = subscribe();
    client.read_until(": \n\n");
    client.read_until(": \n\n");
}

TEST_F(StreamTest, AnHttp10SubscriberGetsTheBareBytes) {
    open();
    auto client = fixture->connect();
    client.send("GET /events HTTP/1.0\r\n\r\n");
    wait_for_streams(1);
    fixture->on_loop([&] {
        hub.streams.front().send(SharedChunk("shared "));
        hub.streams.front().send("copied");
        hub.streams.front().end();
    });
    const std::string bytes = client.read_to_end();
    EXPECT_THAT(bytes, ::testing::EndsWith("\r\n\r\nshared copied"));
    EXPECT_THAT(bytes, HasSubstr("Connection: close"));
}

TEST_F(StreamTest, HeadOpensNoStream) {
    open();
    auto client = fixture->connect();
    client.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n" + get("/hello"));
    EXPECT_EQ(client.receive(wire::Method::head)->status(), 200);
    EXPECT_EQ(client.receive()->body, "hello");
    fixture->on_loop([&] { EXPECT_FALSE(hub.streams.front().is_open()); });
}

TEST_F(StreamTest, ALargeSnapshotIsPacedByTheQueue) {
    open();
    auto client = subscribe();
    const std::string piece(300'000, 'p');
    fixture->on_loop([&] {
        fixture->loop().spawn([](Stream* stream, std::string bytes) -> Co<void> {
            for (int i = 0; i < 30; ++i) {
                stream->send(bytes);
                co_await stream->drained();
            }
            stream->end();
        }(&hub.streams.front(), piece));
    });
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body.size(), 30 * piece.size());
}

TEST_F(StreamTest, DrainTellsStreamsAndFinishesRequests) {
    open();
    auto polite = subscribe();
    auto idle = fixture->connect();
    idle.send(get("/hello"));
    ASSERT_TRUE(idle.receive());
    fixture->on_loop([&] {
        hub.streams.front().on_closing([&] {
            hub.streams.front().send("good-bye");
            hub.streams.front().abort();
        });
    });
    fixture->drain(Millis(10'000));
    EXPECT_THAT(polite.read_to_end(), HasSubstr("good-bye"));
    EXPECT_TRUE(idle.ends());
}

TEST_F(StreamTest, DrainCutsWhatIsLeftAtItsDeadline) {
    open();
    auto stubborn = subscribe();
    fixture->drain(Millis(20));
    fixture->wait_until([&] { return hub.ends.size() == 1; });
    fixture->on_loop([&] { EXPECT_EQ(hub.ends.front(), StreamEnd::server_stopped); });
}

}  // namespace
}  // namespace parley::net::testing
