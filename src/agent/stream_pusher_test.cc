// SPDX-License-Identifier: Apache-2.0
#include "agent/stream_pusher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/part_buffers.h"
#include "core/push_refusal.h"
#include "net/loop.h"
#include "support/idle_link.h"

namespace parley {
namespace {

// A broker on the loop which forgets its unfinished parts, loses replies, or refuses.
class FickleLink final : public IdleLink {
public:
    explicit FickleLink(net::Loop& loop) : loop_(loop) {}

    void push(std::string_view, std::vector<StreamItem> items, Done<void> done) override {
        ++pushes;
        Result<void> result;
        for (std::size_t i = 0; i < items.size() && result; ++i) {
            if (dies_at == i) {
                dies_at.reset();
                result = reject(ErrorCode::unavailable, "died");
            } else if (refuse_next && i == 0) {
                result = reject(refuse_item(*std::exchange(refuse_next, std::nullopt), i));
            } else if (auto taken = take(items[i]); !taken) {
                result = reject(refuse_item(taken.error(), i));
            }
        }
        if (std::exchange(loses_reply, false)) result = reject(ErrorCode::unavailable, "cut");
        if (std::exchange(forgets, false)) open_ = {};
        loop_.post([done = std::move(done), result]() mutable { done(result); });
    }

    void list_log(std::string_view, std::optional<Cursor>, Done<SessionLog> done) override {
        loop_.post([done = std::move(done), log = log_]() mutable { done(std::move(log)); });
    }

    bool loses_reply = false;
    bool forgets = false;                // after this push, as one that was killed does
    std::optional<std::size_t> dies_at;  // before this item of the next push
    std::optional<Error> refuse_next;
    int pushes = 0;
    std::vector<std::string> kept;

private:
    Result<void> take(const StreamItem& item) {
        if (const auto* delta = std::get_if<PartDelta>(&item)) {
            auto shown = open_.append(*delta);
            if (!shown) return reject(shown.error());
        } else if (const auto* end = std::get_if<StreamPart>(&item)) {
            auto whole = open_.complete(*end);
            if (!whole) return reject(whole.error());
            open_.close(**whole);
            kept.push_back((*whole)->body);
            log_.events.push_back(std::make_shared<const Event>(
                Event{{}, {}, {}, PartAdded{std::make_shared<const Part>(std::move(**whole))}}));
        }
        return {};
    }

    net::Loop& loop_;
    PartBuffers open_;
    SessionLog log_;
};

class StreamPusherTest : public testing::Test {
protected:
    static StreamItem start(std::string text) {
        return PartDelta{.session = {}, .part_id = "p", .text = std::move(text), .is_start = true};
    }
    static StreamItem more(std::string text) {
        return PartDelta{.session = {}, .part_id = "p", .text = std::move(text)};
    }
    static StreamItem output(std::string call) {
        return StreamPart{{.kind = Part::Kind::tool_output, .part_id = call, .body = call}};
    }
    static StreamItem finish() {
        return StreamPart{{.kind = Part::Kind::finish, .part_id = "chat", .body = "."}};
    }
    static StreamItem end() {
        return StreamPart{{.kind = Part::Kind::text, .part_id = "p"}, false};
    }
    // Until all has arrived or was refused.
    void push(std::vector<StreamItem> items) {
        for (StreamItem& item : items) pusher_.push(std::move(item));
        bool is_done = false;
        pusher_.when_done([&] {
            is_done = true;
            loop_.stop();
        });
        if (!is_done) loop_.run();
    }

    net::Loop loop_;
    FickleLink link_{loop_};
    StreamPusher pusher_{loop_, loop_.clock(), link_, "chat"};
};

TEST_F(StreamPusherTest, SendsAPartAgainFromItsStartToABrokerThatHasForgottenIt) {
    link_.forgets = true;
    push({start("Do NOT ")});
    link_.forgets = true;
    push({more("run the ")});
    push({more("migration"), end()});
    EXPECT_EQ(link_.kept, (std::vector<std::string>{"Do NOT run the migration"}));
}

TEST_F(StreamPusherTest, SaysNothingTwiceWhenAReplyIsLost) {
    push({start("one ")});
    link_.loses_reply = true;
    push({more("two ")});
    push({more("three"), end()});
    EXPECT_EQ(link_.kept, (std::vector<std::string>{"one two three"}));
}

TEST_F(StreamPusherTest, TellsNoWholePartTwiceWhenTheBrokerDiesBehindItsWriting) {
    push({output("a")});
    link_.loses_reply = link_.forgets = true;
    push({output("b"), start("one "), end(), output("c"), start("two "), more("three")});
    push({end(), finish()});
    EXPECT_EQ(link_.kept, (std::vector<std::string>{"a", "b", "one ", "c", "two three", "."}));
}

TEST_F(StreamPusherTest, TellsWhatTheBrokerHadNotWrittenWhenItDied) {
    push({output("a"), finish()});
    link_.dies_at = 1;
    push({output("b"), output("c")});
    // The log ends with one of these already.
    link_.dies_at = 0;
    push({finish()});
    EXPECT_EQ(link_.kept, (std::vector<std::string>{"a", ".", "b", "c", "."}));
    link_.dies_at = 0;
    push({finish()});
    EXPECT_EQ(link_.kept.size(), 6u);
    link_.loses_reply = true;
    push({finish()});
    EXPECT_EQ(link_.kept.size(), 7u);
}

TEST_F(StreamPusherTest, GoesOnBehindTheItemThatWasRefused) {
    link_.refuse_next = Error{ErrorCode::too_large, "no room"};
    push({start("lost"), more(" for good"), end(),
          StreamPart{{.kind = Part::Kind::tool_output, .part_id = "c", .body = "1"}}});
    EXPECT_EQ(link_.kept, (std::vector<std::string>{"1"}));
    push({start("again"), end()});
    EXPECT_EQ(link_.kept.back(), "again");
}

TEST_F(StreamPusherTest, SendsLongTextInPiecesOfWholeCharacters) {
    std::string text;
    while (text.size() < 2'000'000) text += "né";
    link_.forgets = true;
    push({start("x")});
    push({more(text), end()});
    ASSERT_EQ(link_.kept.size(), 1u);
    EXPECT_EQ(link_.kept[0], "x" + text);
    EXPECT_GT(link_.pushes, 4);
}

TEST_F(StreamPusherTest, SaysNothingMoreToASessionThatHasEnded) {
    push({start("x")});
    link_.refuse_next = Error{ErrorCode::not_found, "there is no live session"};
    push({more("y")});
    const int pushes = link_.pushes;
    push({more("z"), end()});
    EXPECT_EQ(link_.pushes, pushes);
    EXPECT_TRUE(link_.kept.empty());
}

}  // namespace
}  // namespace parley
