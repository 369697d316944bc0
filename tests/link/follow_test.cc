// SPDX-License-Identifier: Apache-2.0
// Following through every link: a snapshot and then what is live, everything once, whatever the
// listener does. What only simulated time can show is in client/local_follow_test.cc.
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "client/limits.h"
#include "link/link_fixture.h"

namespace parley::link_testing {
namespace {

using State = FollowListener::State;

// A front's own picture of what is pending, folded from the frames. It stays while its followings
// come and go, and notices what comes twice.
class Mirror final : public FollowListener {
public:
    void on_frames(std::span<const Frame> frames) override {
        longest = std::max(longest, frames.size());
        for (const Frame& frame : frames) see(frame);
    }
    void on_state(State state, const std::optional<Error>& why) override {
        EXPECT_EQ(why.has_value(), state != State::connected);
        states.push_back(state);
        if (why) last_error = *why;
    }

    std::set<AskId> pending;
    std::optional<Cursor> seen;
    std::vector<State> states;
    Error last_error;
    std::size_t events = 0;
    std::size_t longest = 0;
    int snapshots = 0;
    int resets = 0;

private:
    void see(const Frame& frame) {
        if (const auto* event = std::get_if<EventPtr>(&frame)) {
            see_event(**event);
        } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
            EXPECT_TRUE(pending.insert(listed->ask->id).second);
        } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
            seen = end->cursor;
            ++snapshots;
        } else if (std::holds_alternative<Reset>(frame)) {
            pending.clear();
            seen.reset();
            ++resets;
        }
    }
    void see_event(const Event& event) {
        ++events;
        EXPECT_TRUE(!seen || *seen < event.cursor) << "an event came twice, or too late";
        seen = event.cursor;
        if (const auto* opened = std::get_if<AskOpened>(&event.body)) {
            EXPECT_TRUE(pending.insert(opened->ask->id).second);
        } else if (const auto* settled = std::get_if<AskSettled>(&event.body)) {
            pending.erase(settled->ask->id);
        }
    }
};

class LinkFollow : public LinkTest {
protected:
    void open_many(std::size_t count) {
        std::size_t replies = 0;
        for (std::size_t i = 0; i < count; ++i)
            bot_->ask({tea_or_coffee(), "chat"}, [&](Result<OpenedAsk> opened) {
                EXPECT_TRUE(opened);
                ++replies;
            });
        world_->run_until([&] { return replies == count; });
    }
    void await_pending(const Mirror& mirror, std::size_t count) {
        world_->run_until([&] { return mirror.snapshots > 0 && mirror.pending.size() == count; });
    }
};
PARLEY_FOR_EVERY_LINK(LinkFollow);

TEST_P(LinkFollow, TheSnapshotComesFirstAndThenWhatIsLive) {
    const AskPtr first = open();
    Mirror mirror;
    const auto following = ada_->follow({}, mirror);
    EXPECT_TRUE(mirror.states.empty()) << "nothing is told inside the call";
    await_pending(mirror, 1);
    EXPECT_EQ(mirror.states, std::vector{State::connected});
    EXPECT_EQ(mirror.events, 0u);
    const AskPtr second = open();
    ASSERT_TRUE(answer(*ada_, first->id, "Tea"));
    world_->run_until([&] { return mirror.pending == std::set{second->id}; });
    EXPECT_EQ(mirror.events, 2u);
    EXPECT_EQ(mirror.snapshots, 1);
}

TEST_P(LinkFollow, OneThatComesBackByCursorSeesWhatItMissedOnceAndNoSnapshot) {
    const AskPtr first = open();
    Mirror mirror;
    auto following = ada_->follow({}, mirror);
    await_pending(mirror, 1);
    const std::optional<Cursor> after = following->resume_point().after();
    following.reset();
    open_many(20);
    ASSERT_TRUE(answer(*ada_, first->id, "Tea"));
    EXPECT_EQ(mirror.events, 0u) << "who has dropped its handle is told nothing";
    following = ada_->follow({.after = after}, mirror);
    await_pending(mirror, 20);
    world_->run_until([&] { return mirror.events == 21; });
    EXPECT_EQ(mirror.snapshots, 1);
    EXPECT_EQ(mirror.resets, 0);
}

TEST_P(LinkFollow, FramesComeInBoundedBatches) {
    open_many(3 * limits::kFollowFramesAtOnce);
    Mirror mirror;
    const auto following = ada_->follow({}, mirror);
    await_pending(mirror, 3 * limits::kFollowFramesAtOnce);
    EXPECT_LE(mirror.longest, limits::kFollowFramesAtOnce);
}

TEST_P(LinkFollow, APausedListenerMissesNothing) {
    Mirror mirror;
    const auto following = ada_->follow({}, mirror);
    await_pending(mirror, 0);
    following->pause();
    open_many(50);
    following->resume();
    await_pending(mirror, 50);
    EXPECT_EQ(mirror.events, 51u) << "the session's own beginning is one of them";
    EXPECT_EQ(mirror.resets, 0);
}

TEST_P(LinkFollow, AForeignCursorGetsAResetAndTheSnapshot) {
    open();
    Mirror mirror;
    const auto following = ada_->follow({.after = Cursor{1}}, mirror);
    await_pending(mirror, 1);
    EXPECT_EQ(mirror.resets, 1);
    EXPECT_EQ(mirror.snapshots, 1);
}

TEST_P(LinkFollow, OneSessionIsFollowedByItsNameOrId) {
    Mirror by_name;
    const auto first = bot_->follow({.session = "fresh"}, by_name);
    world_->run_until([&] { return by_name.snapshots == 1; });
    open({tea_or_coffee(), "other"});
    const AskPtr mine = open({tea_or_coffee(), "fresh"});
    world_->run_until([&] { return by_name.pending == std::set{mine->id}; });
    Mirror by_id;
    const auto second = ada_->follow({.session = mine->session.str()}, by_id);
    world_->run_until([&] { return by_id.snapshots == 1; });
    EXPECT_EQ(by_id.pending, std::set{mine->id});
}

TEST_P(LinkFollow, AnUnknownSessionIdAndABadNameEndTheFollowing) {
    Mirror unknown;
    Mirror bad;
    const auto first = ada_->follow({.session = SessionId(IdBits{1, 1}).str()}, unknown);
    const auto second = ada_->follow({.session = "line\nbreak"}, bad);
    world_->run_until([&] { return !unknown.states.empty() && !bad.states.empty(); });
    EXPECT_EQ(unknown.states, std::vector{State::ended});
    EXPECT_EQ(unknown.last_error.code, ErrorCode::not_found);
    EXPECT_EQ(bad.states, std::vector{State::ended}) << bad.last_error.message;
    EXPECT_EQ(bad.last_error.code, ErrorCode::invalid);
}

TEST_P(LinkFollow, AFollowingIsSilentOnceItsLinkIsGoneAndMayOutliveIt) {
    auto link = world_->link_as("bob");
    Mirror mirror;
    const auto following = link->follow({}, mirror);
    const auto named = link->follow({.session = "later"}, mirror);
    link.reset();
    open();
    following->resume();
    let_pass(*ada_);
    EXPECT_TRUE(mirror.states.empty());
    EXPECT_EQ(mirror.snapshots, 0);
}

// What an agent that does not see all is told of others: nothing, and it does not notice the gap.
TEST_P(LinkFollow, AnAgentIsToldOfItsOwnAlone) {
    const auto rival = world_->link_as("rival");
    Mirror mirror;
    const auto following = rival->follow({}, mirror);
    world_->run_until([&] { return mirror.snapshots == 1; });
    open_many(5);
    const auto own = get<OpenedAsk>(
        [&](Done<OpenedAsk> done) { rival->ask({tea_or_coffee(), "mine"}, std::move(done)); });
    ASSERT_TRUE(own);
    world_->run_until([&] { return mirror.pending.contains(own->ask->id); });
    EXPECT_EQ(mirror.pending.size(), 1u);
}

}  // namespace
}  // namespace parley::link_testing
