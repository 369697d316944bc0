// SPDX-License-Identifier: Apache-2.0
#include "broker/subscription.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sizes.h"
#include "broker/broker_fixture.h"
#include "broker/limits.h"

namespace parley {
namespace {

TEST_F(SubscriptionTest, AFreshOneGetsThePendingAsksThenTheCursorThenWhatFollows) {
    const AskPtr first = open({spec()});
    Subscription subscription = subscribe({});
    const Cursor taken_at = broker().ledger().head();
    EXPECT_GT(ready_calls_, 0);
    auto frames = take_all(subscription);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(std::get<SnapshotAsk>(frames[0]).ask->id, first->id);
    EXPECT_EQ(std::get<SnapshotEnd>(frames[1]).cursor, taken_at);
    ready_calls_ = 0;
    ASSERT_TRUE(answer(first->id, "Tea", ada_));
    EXPECT_GT(ready_calls_, 0);
    frames = take_all(subscription);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<AskSettled>(std::get<EventPtr>(frames[0])->body));
}

TEST_F(SubscriptionTest, OneThatComesBackWithItsCursorGetsWhatItMissedOnce) {
    Subscription subscription = subscribe({});
    auto frames = take_all(subscription);
    const Cursor seen = std::get<SnapshotEnd>(frames.back()).cursor;
    subscription = {};
    for (int i = 0; i < 10; ++i) open({spec()});
    Subscription back = subscribe({.after = seen});
    frames = take_all(back);
    const auto got = cursors(frames);
    ASSERT_EQ(got.size(), frames.size());
    ASSERT_EQ(got.size(), 11u);  // the session was opened too
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].value, seen.value + 1 + i);
}

// The live log is bounded: a reader that stays away longer reads from the store and then joins
// again.
TEST_F(SubscriptionTest, OneThatFellFarBehindReadsFromTheStoreAndThenLive) {
    open({spec()});
    Subscription slow = subscribe({.after = broker().ledger().head()});
    const Cursor start = broker().ledger().head();
    for (std::size_t i = 0; i < limits::kRecentEvents + 50; ++i) {
        broker().ask({spec()}, kOpenProfile, agent_, [](Result<OpenedAsk>) {});
    }
    process_->settle_down();
    auto frames = take_all(slow, 97);
    auto got = cursors(frames);
    ASSERT_EQ(got.size(), limits::kRecentEvents + 50);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].value, start.value + 1 + i);
    open({spec()});
    frames = take_all(slow);
    EXPECT_EQ(cursors(frames), std::vector<Cursor>{broker().ledger().head()});
}

EventPtr notice(std::uint64_t number, std::size_t bytes) {
    return std::make_shared<const Event>(
        Event{Cursor{number}, {}, {}, NoticeGiven{std::string(bytes, 'x')}});
}

TEST(LiveLog, WhatIsLargeIsKeptByItsSize) {
    LiveLog log;
    constexpr std::size_t kLarge = 1 * limits::kMiB;
    std::vector<std::weak_ptr<const Event>> all;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const EventPtr event = notice(i, kLarge);
        all.push_back(event);
        log.add(event);
    }
    const auto kept = std::ranges::count_if(all, [](const auto& weak) { return !weak.expired(); });
    EXPECT_EQ(static_cast<std::size_t>(kept), limits::kRecentBytes / kLarge - 1);
    EXPECT_FALSE(log.after(Cursor{50}));
    ASSERT_TRUE(log.after(Cursor{99}));
    EXPECT_EQ(std::get<EventPtr>(log.at(*log.after(Cursor{99})))->cursor, Cursor{100});
    // One that is larger than all that is kept is not kept.
    log.add(notice(101, limits::kRecentBytes));
    EXPECT_FALSE(log.after(Cursor{100}));
    EXPECT_EQ(log.after(Cursor{101}), log.end());
    log.add(notice(102, 1));
    EXPECT_EQ(log.after(Cursor{101}), log.end() - 1);
}

TEST_F(SubscriptionTest, OneThatMissedLargeEventsReadsThemFromTheStore) {
    Subscription slow = subscribe({.after = broker().ledger().head()});
    const Cursor start = broker().ledger().head();
    const std::string text(limits::kNoticeBytes, 'x');
    const std::size_t count = 2 * limits::kRecentBytes / text.size();
    ASSERT_LT(count, limits::kRecentEvents);
    for (std::size_t i = 0; i < count; ++i)
        broker().give_notice("", {text}, kUnrestricted, [](Result<void>) {});
    process_->settle_down();
    const auto got = cursors(take_all(slow, 97));
    ASSERT_EQ(got.size(), count);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].value, start.value + 1 + i);
}

TEST_F(SubscriptionTest, AForeignCursorGetsAResetAndThenTheSnapshot) {
    const AskPtr first = open({spec()});
    for (const Cursor foreign : {Cursor{1}, Cursor{broker().ledger().head().value + 1}}) {
        Subscription subscription = subscribe({.after = foreign});
        const auto frames = take_all(subscription);
        ASSERT_EQ(frames.size(), 3u);
        EXPECT_TRUE(std::holds_alternative<Reset>(frames[0]));
        EXPECT_EQ(std::get<SnapshotAsk>(frames[1]).ask->id, first->id);
        EXPECT_TRUE(std::holds_alternative<SnapshotEnd>(frames[2]));
    }
}

TEST_F(SubscriptionTest, AnotherSessionsEventsAreLeftOutAndTheCursorStillMoves) {
    const AskPtr mine = open({spec(), "mine"});
    Subscription subscription = subscribe({.session = mine->session});
    take_all(subscription);
    open({spec(), "other"});
    EXPECT_TRUE(take_all(subscription).empty());
    ASSERT_TRUE(answer(mine->id, "Tea", ada_));
    EXPECT_EQ(cursors(take_all(subscription)), std::vector<Cursor>{broker().ledger().head()});
}

TEST_F(SubscriptionTest, OneIsNotWokenForAnotherSessionAndMissesNothingOfItsOwn) {
    const AskPtr mine = open({spec(), "mine"});
    Subscription subscription = subscribe({.session = mine->session});
    take_all(subscription);
    // More than the live log holds, in one commit: it must not look as if nothing was among them.
    for (std::size_t i = 0; i < limits::kRecentEvents + 50; ++i) {
        broker().ask({spec(), i == 7 ? "mine" : "other"}, kOpenProfile, agent_,
                     [](Result<OpenedAsk>) {});
    }
    process_->settle_down();
    EXPECT_EQ(take_all(subscription).size(), 1u);
    ready_calls_ = 0;
    const AskPtr foreign = open({spec(), "other"});
    ASSERT_TRUE(answer(foreign->id, "Tea", ada_));
    EXPECT_EQ(ready_calls_, 0);
    ASSERT_TRUE(answer(mine->id, "Tea", ada_));
    EXPECT_GT(ready_calls_, 0);
    EXPECT_EQ(cursors(take_all(subscription)), std::vector<Cursor>{broker().ledger().head()});
}

// It looks only at what is its own, wherever that stands in a commit, and however little it takes.
TEST_F(SubscriptionTest, OneOfManyInACommitGetsItsOwnOnceAndInOrder) {
    const AskPtr mine = open({spec(), "mine"});
    Subscription quick = subscribe({.session = mine->session});
    Subscription slow = subscribe({.session = mine->session});
    Subscription all = subscribe({});
    std::vector<Cursor> told;
    std::vector<Cursor> told_slowly;
    std::vector<Cursor> want;
    take_all(quick);
    take_all(slow);
    take_all(all);
    for (int commit = 0; commit < 40; ++commit) {
        for (int i = 0; i < 10; ++i) {
            const bool is_mine = (commit * 7 + i * i) % 5 == 0;
            broker().ask({spec(), is_mine ? "mine" : fmt::format("other {}", i % 4)}, kOpenProfile,
                         agent_, [](Result<OpenedAsk>) {});
        }
        process_->settle_down();
        for (const Frame& frame : take_all(all)) {
            const EventPtr& event = std::get<EventPtr>(frame);
            if (event->session == mine->session) want.push_back(event->cursor);
        }
        for (const Cursor cursor : cursors(take_all(quick, 2))) told.push_back(cursor);
        std::vector<Frame> few;
        slow.take(few, 1);
        for (const Cursor cursor : cursors(few)) told_slowly.push_back(cursor);
    }
    for (const Cursor cursor : cursors(take_all(slow))) told_slowly.push_back(cursor);
    EXPECT_GT(want.size(), 40u);
    EXPECT_EQ(told, want);
    EXPECT_EQ(told_slowly, want);
}

TEST_F(SubscriptionTest, DraftsAreToldOnlyToTheirOwner) {
    const AskPtr opened = open({spec()});
    Subscription ada =
        subscribe({.after = broker().ledger().head(), .viewer = {.principal = "ada"}});
    Subscription bob =
        subscribe({.after = broker().ledger().head(), .viewer = {.principal = "bob"}});
    broker().put_draft(opened->id, ada_.viewer(), {.answers = {{.other = "x"}}},
                       [](const Result<DraftReply>&) {});
    process_->settle_down();
    EXPECT_EQ(take_all(ada).size(), 1u);
    EXPECT_TRUE(take_all(bob).empty());
}

TEST_F(SubscriptionTest, TheServersOwnReadersAreNotCounted) {
    Subscription own = subscribe({.is_internal = true});
    EXPECT_EQ(broker().subscriber_count(), 0u);
    Subscription theirs = subscribe({});
    EXPECT_EQ(broker().subscriber_count(), 1u);
    open({spec()});
    EXPECT_EQ(cursors(take_all(own)).size(), cursors(take_all(theirs)).size());
}

TEST_F(SubscriptionTest, ASubscriberMayLeaveWhileItIsTold) {
    std::optional<Subscription> leaving;
    auto made = broker().subscribe({}, [&] { leaving.reset(); });
    leaving = std::move(*made);
    Subscription staying = subscribe({});
    process_->settle_down();
    EXPECT_FALSE(leaving);
    open({spec()});
    EXPECT_EQ(broker().subscriber_count(), 1u);
    EXPECT_FALSE(take_all(staying).empty());
}

// What is stored and cannot be read is neither passed over nor waited for, whatever the reason.
TEST_F(SubscriptionTest, AReaderThatMeetsADamagedEventIsTold) {
    const Cursor before = broker().ledger().head();
    open({spec()});
    for (const ErrorCode code : {ErrorCode::corrupt, ErrorCode::unavailable}) {
        restart();
        EXPECT_FALSE(broker().has_damage());
        std::vector<std::string> told;
        broker().on_store_news([&](LoopBroker::StoreNews news, const std::string& detail) {
            if (news == LoopBroker::StoreNews::damaged) told.push_back(detail);
        });
        ready_calls_ = 0;
        SharedEngine::disk_error = code;
        Subscription reader = subscribe({.after = before});
        SharedEngine::disk_error.reset();
        EXPECT_TRUE(take_all(reader).empty());
        ASSERT_NE(reader.failure(), nullptr);
        EXPECT_EQ(reader.failure()->message, "a damaged event");
        EXPECT_GT(ready_calls_, 0);
        EXPECT_EQ(told, std::vector<std::string>{"a damaged event"});
        EXPECT_TRUE(broker().has_damage());
    }
}

}  // namespace
}  // namespace parley
