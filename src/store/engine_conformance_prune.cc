// SPDX-License-Identifier: Apache-2.0
// What was over long ago goes, and nothing else does.
#include <memory>
#include <string>
#include <vector>

#include "store/engine_conformance.h"

namespace parley {

namespace {

Retention all_before(Instant at) {
    return {.asks = at, .sessions = at, .messages = at};
}

Pruned prune_all(Engine& engine, const Retention& before) {
    Pruned all;
    do {
        const auto slice = engine.prune(before);
        EXPECT_TRUE(slice) << slice.error().message;
        if (!slice) return all;
        all.add(*slice);
    } while (all.has_more);
    return all;
}

}  // namespace

TEST_P(EngineConformance, WhatWasOverBeforeGoesAndTheRestStays) {
    const SessionPtr over = open_session("over");
    const SessionPtr live = open_session("live");
    const AskPtr old = open_ask(over->id, {.key = "k"});
    const AskPtr waiting = open_ask(live->id);
    commit_one(SettleAsk{old->id, make_.settlement(Outcome::answered)});
    commit_one(make_.end(over->id));
    const Instant cut = make_.tick();
    const AskPtr recent = open_ask(live->id);
    commit_one(SettleAsk{recent->id, make_.settlement(Outcome::dismissed)});
    const Cursor head = reported().back()->cursor;

    const Pruned pruned = prune_all(*engine_, all_before(cut));
    EXPECT_EQ(pruned.asks, 1U);
    EXPECT_EQ(pruned.sessions, 1U);
    EXPECT_GT(pruned.events, 0U);
    EXPECT_EQ(prune_all(*engine_, all_before(cut)), Pruned{});

    for (const bool is_reopened : {false, true}) {
        if (is_reopened) reopen();
        EXPECT_EQ(engine_->find_ask(old->id).value(), nullptr);
        EXPECT_EQ(engine_->find_session(over->id).value(), nullptr);
        EXPECT_NE(engine_->find_ask(waiting->id).value(), nullptr);
        EXPECT_NE(engine_->find_ask(recent->id).value(), nullptr);
        EXPECT_EQ(ids_of(engine_->list_asks({}).value().asks), ids_of({waiting, recent}));
        EXPECT_TRUE(list_events({.after = first_}).has_gap);
        const EventPage kept = list_events({.after = {first_.value + pruned.events}});
        EXPECT_FALSE(kept.has_gap);
        EXPECT_EQ(kept.events.size(), head.value - first_.value - pruned.events);
    }
    const auto next = commit({OpenSession{make_.session("over")}});
    EXPECT_EQ(next.events.at(0)->cursor.value, head.value + 1);
}

// What an answer says has no say in when it goes.
TEST_P(EngineConformance, AnswersOfOddTextsArePrunedLikeOthers) {
    const SessionPtr session = open_session("one");
    const std::vector<std::string> texts = {std::string("a\0b", 3), R"(\u0000)", R"("at":"9999")",
                                            R"(\"at\":\"9999)"};
    for (const std::string& text : texts) {
        const AskPtr ask = open_ask(session->id);
        auto settlement = std::make_shared<Settlement>(*make_.settlement(Outcome::answered));
        settlement->answers = {{.other = text, .note = text}};
        commit_one(SettleAsk{ask->id, std::move(settlement)});
    }
    const Instant cut = make_.tick();
    open_ask(session->id);
    const Retention before{.asks = cut, .sessions = cut};
    ASSERT_TRUE(engine_->count_prunable(before));
    EXPECT_EQ(prune_all(*engine_, before).asks, texts.size());
}

TEST_P(EngineConformance, WhatIsPendingLiveOrWaitingIsNeverPruned) {
    const SessionPtr live = open_session("live");
    const AskPtr pending = open_ask(live->id);
    commit_one(make_.message(live->id, "still to be read"));
    const Cursor head = reported().back()->cursor;
    const Pruned pruned = prune_all(*engine_, all_before(make_.tick() + Millis(1000)));
    EXPECT_EQ(pruned.asks + pruned.sessions + pruned.messages, 0U);
    const Snapshot snapshot = reopen();
    EXPECT_EQ(ids_of(snapshot.pending), ids_of({pending}));
    EXPECT_EQ(snapshot.sessions.size(), 1U);
    EXPECT_EQ(snapshot.messages.size(), 1U);
    EXPECT_EQ(snapshot.head, head) << "the next event goes on from here";
}

TEST_P(EngineConformance, AnAskOutlivesItsEventsWhereMessagesAreKeptForLess) {
    const SessionPtr session = open_session("one");
    const AskPtr old = open_ask(session->id);
    commit_one(SettleAsk{old->id, make_.settlement(Outcome::answered)});
    open_ask(session->id);
    const Instant now = make_.tick();
    const Pruned pruned = prune_all(*engine_, {.asks = now - Millis(100'000), .messages = now});
    EXPECT_EQ(pruned.asks, 0U);
    EXPECT_GT(pruned.events, 0U);
    ASSERT_NE(engine_->find_ask(old->id).value(), nullptr);
    EXPECT_TRUE(engine_->find_ask(old->id).value()->settlement);
}

TEST_P(EngineConformance, NothingIsPrunedForEver) {
    const SessionPtr session = open_session("one");
    const AskPtr ask = open_ask(session->id);
    commit_one(SettleAsk{ask->id, make_.settlement(Outcome::answered)});
    EXPECT_EQ(prune_all(*engine_, {}), Pruned{});
}

}  // namespace parley
