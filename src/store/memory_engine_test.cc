// SPDX-License-Identifier: Apache-2.0
// What is the memory engine's own: how much of what is over it keeps. What every engine does is in
// the conformance suite.
#include "store/memory_engine.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/sizes.h"
#include "store/limits.h"
#include "store/test_values.h"

namespace parley {

namespace {

class MemoryEngineTest : public testing::Test {
protected:
    MemoryEngineTest() {
        EXPECT_TRUE(engine_.open());
        commit(OpenSession{session_});
    }

    void commit(Change change) {
        const std::array changes = {std::move(change)};
        const auto report = engine_.commit(changes);
        ASSERT_TRUE(report);
        ASSERT_EQ(report->outcomes.front().verdict, Verdict::applied);
    }

    AskId settled_ask(const std::string& text) {
        const AskPtr ask = values_.ask(session_->id, {}, text);
        commit(OpenAsk{ask});
        commit(SettleAsk{ask->id, values_.settlement(Outcome::answered), ask});
        return ask->id;
    }

    bool has(AskId id) { return *engine_.find_ask(id) != nullptr; }

    StillClock clock_;
    TestValues values_;
    MemoryEngine engine_{clock_};
    SessionPtr session_ = values_.session("work");
};

TEST_F(MemoryEngineTest, KeepsSettledAsksUpToACount) {
    std::vector<AskId> ids;
    for (std::size_t i = 0; i < limits::kMemorySettledKept + 2; ++i)
        ids.push_back(settled_ask("Which?"));
    EXPECT_FALSE(has(ids[1]));
    EXPECT_TRUE(has(ids[2]));
    EXPECT_TRUE(has(ids.back()));
}

TEST_F(MemoryEngineTest, KeepsSettledAsksAndEventsUpToTheirSize) {
    const std::string text(1 * limits::kMiB, 'q');
    std::vector<AskId> ids;
    for (std::size_t i = 0; i < 80; ++i) ids.push_back(settled_ask(text));
    EXPECT_FALSE(has(ids[16]));
    EXPECT_TRUE(has(ids[17]));
    const auto page =
        engine_.list_events({.after = {}, .limit = 1000, .bytes = std::size_t{1} << 30U});
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->has_gap);
    const auto newest =
        engine_.list_events({.after = page->oldest, .limit = 1000, .bytes = std::size_t{1} << 30U});
    ASSERT_TRUE(newest);
    EXPECT_FALSE(newest->has_gap);
    EXPECT_EQ(newest->events.size(), 63U);
}

TEST_F(MemoryEngineTest, NeverForgetsWhatIsPending) {
    const AskPtr pending = values_.ask(session_->id);
    commit(OpenAsk{pending});
    for (std::size_t i = 0; i < limits::kMemorySettledKept + 1; ++i) settled_ask("Which?");
    EXPECT_TRUE(has(pending->id));
}

TEST_F(MemoryEngineTest, KeepsEndedSessionsUpToACount) {
    std::vector<SessionId> ids;
    for (std::size_t i = 0; i < limits::kMemoryEndedKept + 1; ++i) {
        const SessionPtr session = values_.session();
        commit(OpenSession{session});
        commit(values_.end(session->id));
        ids.push_back(session->id);
    }
    EXPECT_EQ(*engine_.find_session(ids[0]), nullptr);
    EXPECT_NE(*engine_.find_session(ids[1]), nullptr);
    EXPECT_NE(*engine_.find_session(session_->id), nullptr);
    EXPECT_EQ(engine_.open()->top_session, ids.back());
}

}  // namespace

}  // namespace parley
