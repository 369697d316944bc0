// SPDX-License-Identifier: Apache-2.0
// Watching what happens, on real threads: everything once and in order, and silence after the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <variant>

#include "program/program_fixture.h"

namespace parley::program {
namespace {

using testing::ElementsAre;

const Event* event_of(const Frame& frame) {
    const auto* event = std::get_if<EventPtr>(&frame);
    return event != nullptr ? event->get() : nullptr;
}

std::string name_of(const Frame& frame) {
    if (std::holds_alternative<SnapshotAsk>(frame)) return "listed";
    if (std::holds_alternative<SnapshotEnd>(frame)) return "end of snapshot";
    if (std::holds_alternative<Reset>(frame)) return "reset";
    const Event* event = event_of(frame);
    if (event == nullptr) return "delta";
    if (std::holds_alternative<AskOpened>(event->body)) return "opened";
    if (std::holds_alternative<AskSettled>(event->body)) return "settled";
    return "other";
}

class WatchTest : public ProgramTest {
protected:
    AskId ask(std::string session = "chat") {
        return (*broker_.ask(tea_or_coffee(std::move(session))).opened())->id;
    }
    Watch watch(WatchRequest request = {}) {
        return std::move(*broker_.watch(request, [this](const Frame& frame) { seen_.put(frame); }));
    }
    std::vector<std::string> names(std::size_t count) {
        std::vector<std::string> list;
        for (const Frame& frame : seen_.await(count)) list.push_back(name_of(frame));
        return list;
    }

    Inbox<Frame> seen_;
    std::binary_semaphore entered_{0};
    std::binary_semaphore release_{0};
};

TEST_P(WatchTest, ThePendingAsksComeFirstAndThenWhatHappens) {
    const AskId first = ask();
    const Watch watching = watch();
    seen_.await(2);
    ask();
    EXPECT_TRUE(broker_.answer(first, choose("Tea")));
    EXPECT_THAT(names(4), ElementsAre("listed", "end of snapshot", "opened", "settled"));
}

TEST_P(WatchTest, OneThatComesBackWithACursorMissesNothing) {
    Cursor last;
    {
        const Watch watching = watch();
        ask();
        for (const Frame& frame : seen_.await(3))
            if (const Event* event = event_of(frame)) last = event->cursor;
    }
    const AskId missed = ask();
    const Watch watching = watch({.after = last});
    EXPECT_TRUE(broker_.dismiss(missed));
    const auto frames = seen_.await(5);
    EXPECT_EQ(event_of(frames[3])->cursor.value, last.value + 1);
    EXPECT_EQ(name_of(frames[3]), "opened");
    EXPECT_EQ(name_of(frames[4]), "settled");
}

TEST_P(WatchTest, OneSessionCanBeWatchedAlone) {
    ask("other");
    const auto session = *broker_.open_session({.name = "mine"});
    const Watch watching = watch({.session = session->id});
    seen_.await(1);
    ask("other");
    ask("mine");
    EXPECT_THAT(names(2), ElementsAre("end of snapshot", "opened"));
}

TEST_P(WatchTest, ASlowCallbackMissesNothing) {
    const std::size_t asks = world_->rounds();
    ask();
    std::atomic<bool> is_first = true;
    Watch watching = std::move(*broker_.watch({}, [&](const Frame& frame) {
        if (is_first.exchange(false)) {
            entered_.release();
            release_.acquire();
        }
        seen_.put(frame);
    }));
    entered_.acquire();
    for (std::size_t i = 0; i < asks; ++i) broker_.ask(tea_or_coffee());
    ask();
    release_.release();
    std::optional<Cursor> last;
    for (const Frame& frame : seen_.await(2 + asks + 1)) {
        const Event* event = event_of(frame);
        if (event == nullptr) continue;
        EXPECT_TRUE(!last || event->cursor.value == last->value + 1);
        last = event->cursor;
    }
}

TEST_P(WatchTest, OnceDroppedItsCallbackDoesNotRun) {
    bool is_over = false;  // not atomic: dropping the watch is what orders it
    {
        const Watch watching = std::move(*broker_.watch({}, [&](const Frame&) {
            EXPECT_FALSE(is_over);
            entered_.release();
        }));
        entered_.acquire();
    }
    is_over = true;
    ask();
    broker_.close();
}

TEST_P(WatchTest, MayBeDroppedInsideItsCallback) {
    Watch watching;
    std::binary_semaphore is_stored{0};
    watching = std::move(*broker_.watch({}, [&](const Frame& frame) {
        is_stored.acquire();
        watching = Watch();
        seen_.put(frame);
    }));
    is_stored.release();
    seen_.await(1);
    ask();
    broker_.close();
    EXPECT_EQ(seen_.size(), 1u);
}

TEST_P(WatchTest, MayOutliveTheBroker) {
    const Watch watching = watch();
    seen_.await(1);
    world_->drop();
    EXPECT_EQ(seen_.size(), 1u);
}

PARLEY_FOR_EVERY_BROKER(WatchTest);

}  // namespace
}  // namespace parley::program
