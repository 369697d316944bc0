// SPDX-License-Identifier: Apache-2.0
// Following in process, step by step in simulated time: everything once, whatever the listener
// does: it leaves and comes back, it pauses, it is cut off inside a snapshot. What holds for every
// link is in tests/link.
#include "client/local_follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "base/properties_test.h"
#include "broker/limits.h"
#include "client/local_link.h"
#include "support/sim_broker.h"

namespace parley {
namespace {

using sim::Got;
using sim::tea_or_coffee;
using testing::ElementsAre;
using State = FollowListener::State;

// A front's own picture of what is pending, folded from the frames, that notices every repetition
// and every gap. It stays while its followings come and go.
class Mirror final : public FollowListener {
public:
    void on_frames(std::span<const Frame> frames) override {
        longest = std::max(longest, frames.size());
        for (const Frame& frame : frames) see(frame);
        if (on_batch) on_batch();
    }
    void on_state(State state, const std::optional<Error>& why) override {
        EXPECT_EQ(why.has_value(), state != State::connected);
        states.push_back(state);
        if (why) last_error = *why;
    }

    // What a link does for its listener when it comes back from inside a snapshot.
    void see(const Frame& frame) {
        if (const auto* event = std::get_if<EventPtr>(&frame)) {
            see_event(**event);
        } else if (const auto* listed = std::get_if<SnapshotAsk>(&frame)) {
            EXPECT_TRUE(pending.emplace(listed->ask->id, listed->ask).second);
        } else if (const auto* end = std::get_if<SnapshotEnd>(&frame)) {
            seen = end->cursor;
            ++snapshots;
        } else if (std::holds_alternative<Reset>(frame)) {
            pending.clear();
            seen.reset();
            ++resets;
        }
    }

    Ledger::PendingAsks pending;
    std::optional<Cursor> seen;
    std::vector<State> states;
    Error last_error;
    std::size_t events = 0;
    std::size_t longest = 0;
    int snapshots = 0;
    int resets = 0;
    std::function<void()> on_batch;

private:
    void see_event(const Event& event) {
        ++events;
        // Every cursor of this store belongs to an event that an unfiltered reader is told.
        ASSERT_TRUE(seen);
        EXPECT_EQ(event.cursor.value, seen->value + 1);
        seen = event.cursor;
        if (const auto* opened = std::get_if<AskOpened>(&event.body)) {
            EXPECT_TRUE(pending.emplace(opened->ask->id, opened->ask).second);
        } else if (const auto* settled = std::get_if<AskSettled>(&event.body)) {
            pending.erase(settled->ask->id);
        }
    }
};

// A front that follows through the link and comes back by cursor, as often as it is cut off.
struct Front {
    explicit Front(sim::SimBroker& world)
        : link({world.home, world.clock, world.broker}, unrestricted_actor("ada", "test")) {}

    void connect() {
        if (left_inside_snapshot) mirror.see(Reset{});
        following = link.follow({.after = after}, mirror);
    }
    void cut() {
        after = following->resume_point().after();
        left_inside_snapshot = following->resume_point().is_inside_snapshot();
        following.reset();
    }

    LocalLink link;
    Mirror mirror;
    std::unique_ptr<Following> following;
    std::optional<Cursor> after;
    bool left_inside_snapshot = false;
};

class LocalFollowTest : public testing::Test {
protected:
    AskPtr open(std::string session = "chat") {
        Got<OpenedAsk> opened;
        front_.link.ask({tea_or_coffee(), std::move(session)}, opened.done());
        world_.settle_down();
        EXPECT_TRUE(*opened);
        return (*opened)->ask;
    }
    void open_many(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            front_.link.ask({tea_or_coffee(), "chat"}, [](Result<OpenedAsk>) {});
        world_.settle_down();
    }
    void settle(AskId id) {
        front_.link.dismiss(id, {}, [](Result<SettleReply>) {});
        world_.settle_down();
    }

    sim::SimBroker world_;
    Front front_{world_};
    Mirror& mirror_ = front_.mirror;
};

// Cut off after every single batch, with a snapshot and a backlog that need many.
TEST_F(LocalFollowTest, OneThatIsCutOffAfterEveryBatchSeesEverythingOnce) {
    open_many(3 * limits::kFollowFramesAtOnce);
    front_.connect();
    world_.settle_down();
    front_.cut();
    open_many(limits::kRecentEvents + 3 * limits::kFollowFramesAtOnce);
    mirror_.on_batch = [this] { front_.cut(); };
    int connections = 0;
    while (mirror_.seen != world_.broker.ledger().head() && ++connections < 100) {
        front_.connect();
        world_.settle_down();
    }
    EXPECT_GT(connections, 5);
    EXPECT_EQ(mirror_.pending, world_.broker.ledger().pending());
    EXPECT_EQ(mirror_.snapshots, 1);
}

TEST_F(LocalFollowTest, OneThatIsCutOffInsideTheSnapshotStartsOverWithAReset) {
    open_many(2 * limits::kFollowFramesAtOnce);
    mirror_.on_batch = [this] { front_.cut(); };
    front_.connect();
    world_.settle_down();
    ASSERT_EQ(front_.following, nullptr);
    EXPECT_TRUE(front_.left_inside_snapshot);
    EXPECT_EQ(mirror_.pending.size(), limits::kFollowFramesAtOnce);
    mirror_.on_batch = nullptr;
    front_.connect();
    world_.settle_down();
    EXPECT_EQ(mirror_.resets, 1);
    EXPECT_EQ(mirror_.pending, world_.broker.ledger().pending());
}

// What the broker keeps in memory is bounded; a paused listener reads the rest from the store.
TEST_F(LocalFollowTest, ASlowListenerMissesNothingAndIsGivenBoundedBatches) {
    open();
    front_.connect();
    world_.settle_down();
    front_.following->pause();
    open_many(2 * limits::kRecentEvents);
    EXPECT_EQ(mirror_.events, 0u);
    front_.following->resume();
    world_.settle_down();
    EXPECT_EQ(mirror_.events, 2 * limits::kRecentEvents);
    EXPECT_EQ(mirror_.longest, limits::kFollowFramesAtOnce);
    EXPECT_EQ(mirror_.pending, world_.broker.ledger().pending());
    EXPECT_EQ(mirror_.resets, 0);
}

TEST_F(LocalFollowTest, AListenerMayPauseAfterEveryBatch) {
    open_many(3 * limits::kFollowFramesAtOnce);
    int batches = 0;
    mirror_.on_batch = [&] {
        ++batches;
        front_.following->pause();
    };
    front_.connect();
    world_.settle_down();
    EXPECT_EQ(batches, 1);
    front_.following->resume();
    world_.settle_down();
    EXPECT_EQ(batches, 2);
    EXPECT_EQ(mirror_.pending.size(), 2 * limits::kFollowFramesAtOnce);
}

TEST_F(LocalFollowTest, OneTooManyIsTold) {
    std::vector<std::unique_ptr<Following>> crowd;
    for (std::size_t i = 0; i < limits::kSubscribersMax; ++i)
        crowd.push_back(front_.link.follow({}, mirror_));
    Mirror late;
    const auto following = front_.link.follow({}, late);
    EXPECT_TRUE(late.states.empty());
    crowd.clear();
    world_.settle_down();
    EXPECT_THAT(late.states, ElementsAre(State::ended));
    EXPECT_EQ(late.last_error.code, ErrorCode::overloaded);
}

// Any order of asking, settling, cutting, coming back and pausing ends in the same picture.
RC_GTEST_PROP(LocalFollowProperty, EveryScheduleEndsInThePictureOfTheBroker, ()) {
    sim::SimBroker world;
    Front front(world);
    std::vector<AskId> asked;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
    for (const int step : steps) {
        if (step < 40) {
            front.link.ask({tea_or_coffee(), "chat"},
                           [&](Result<OpenedAsk> opened) { asked.push_back(opened->ask->id); });
        } else if (step < 55 && !asked.empty()) {
            front.link.dismiss(asked[static_cast<std::size_t>(step) % asked.size()], {},
                               [](Result<SettleReply>) {});
        } else if (step < 65) {
            front.following ? front.cut() : front.connect();
        } else if (step < 70 && front.following) {
            front.following->pause();
        } else if (step < 75 && front.following) {
            front.following->resume();
        } else if (step < 95) {
            world.home.run_one();
            world.worker.run_one();
        } else {
            world.settle_down();
        }
    }
    if (!front.following) front.connect();
    front.following->resume();
    world.settle_down();
    RC_ASSERT(front.mirror.seen == world.broker.ledger().head());
    RC_ASSERT(front.mirror.pending == world.broker.ledger().pending());
}

}  // namespace
}  // namespace parley
