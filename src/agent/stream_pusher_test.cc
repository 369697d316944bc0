// SPDX-License-Identifier: Apache-2.0
#include "agent/stream_pusher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/part_buffers.h"
#include "core/push_refusal.h"

namespace parley {
namespace {

// A broker on the loop which forgets its unfinished parts, loses replies, or refuses.
class FickleLink final : public Link {
public:
    explicit FickleLink(net::Loop& loop) : loop_(loop) {}

    void push(std::string_view, std::vector<StreamItem> items, Done<void> done) override {
        ++pushes;
        Result<void> result;
        for (std::size_t i = 0; i < items.size() && result; ++i) {
            if (refuse_next && i == 0) {
                result = reject(refuse_item(*std::exchange(refuse_next, std::nullopt), i));
            } else if (auto taken = take(items[i]); !taken) {
                result = reject(refuse_item(taken.error(), i));
            }
        }
        if (std::exchange(loses_reply, false)) result = reject(ErrorCode::unavailable, "cut");
        if (std::exchange(forgets, false)) open_ = {};
        loop_.post([done = std::move(done), result]() mutable { done(result); });
    }

    bool loses_reply = false;
    bool forgets = false;  // after this push, as one that was killed does
    std::optional<Error> refuse_next;
    int pushes = 0;
    std::vector<std::string> kept;

    void ask(AskRequest, Done<OpenedAsk>) override {}
    void find_ask(AskId, Done<AskPtr>) override {}
    void list_asks(AskQuery, Done<AskPage>) override {}
    LinkWait wait(AskId, Done<AskPtr>) override { return {}; }
    void answer(AskId, Answers, AnswerRules, Done<SettleReply>) override {}
    void dismiss(AskId, std::optional<std::string>, Done<SettleReply>) override {}
    void withdraw(AskId, std::optional<std::string>, Done<SettleReply>) override {}
    void find_draft(AskId, Done<DraftPtr>) override {}
    void put_draft(AskId, Draft, Done<DraftReply>) override {}
    void drop_draft(AskId, Done<void>) override {}
    void list_drafts(Done<Drafts>) override {}
    void snooze(AskId, Millis, Done<void>) override {}
    void open_session(SessionRequest, Done<SessionPtr>) override {}
    void find_session(std::string_view, Done<SessionPtr>) override {}
    void list_sessions(SessionQuery, Done<SessionPage>) override {}
    void end_session(std::string_view, std::optional<std::string>, Done<SessionPtr>) override {}
    void abort(std::string_view, Done<SessionPtr>) override {}
    void list_log(std::string_view, std::optional<Cursor>, Done<SessionLog>) override {}
    void take_messages(std::string_view, MessageId, Done<void>) override {}
    void list_messages(std::string_view, Done<std::vector<QueuedText>>) override {}
    void say(std::string_view, std::string, Done<Said>) override {}
    void give_notice(std::string_view, NoticeGiven, Done<void>) override {}
    std::unique_ptr<Following> follow(FollowRequest, FollowListener&) override { return nullptr; }

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
        }
        return {};
    }

    net::Loop& loop_;
    PartBuffers open_;
};

class StreamPusherTest : public testing::Test {
protected:
    static StreamItem start(std::string text) {
        return PartDelta{.session = {}, .part_id = "p", .text = std::move(text), .is_start = true};
    }
    static StreamItem more(std::string text) {
        return PartDelta{.session = {}, .part_id = "p", .text = std::move(text)};
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
    StreamPusher pusher_{loop_, link_, "chat"};
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
