// SPDX-License-Identifier: Apache-2.0
// Two brokers over one store: what one of them writes, the other folds from the feed and from
// nothing else.
#include "broker/limits.h"
#include "broker/nodes_fixture.h"

namespace parley {
namespace {

using nodes_testing::Node;

class TwoNodes : public nodes_testing::NodesFixture {};

TEST_F(TwoNodes, AskedOnOneAnsweredOnTheOther) {
    const AskPtr ask = ask_on(one_);
    ASSERT_TRUE(two_.broker.ledger().find_pending(ask->id));
    AskPtr settled;
    Wait wait = one_.broker.wait(
        ask->id, bot_.viewer(), [&](Result<AskPtr> result) { settled = result.value_or(nullptr); });
    two_.broker.answer(ask->id, {{.selected = {"Yes"}}}, {}, ada_,
                       [](const Result<SettleReply>& reply) { EXPECT_TRUE(reply->is_yours); });
    settle_down();
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->settlement->decider.principal, "ada");
    EXPECT_EQ(one_.broker.ledger().head(), two_.broker.ledger().head());
}

TEST_F(TwoNodes, ASnoozeOnOneIsToldToItsPersonOnTheOther) {
    const AskPtr ask = ask_on(one_);
    const auto told = [&](const std::string& principal) {
        auto subscription =
            two_.broker.subscribe({.after = two_.broker.ledger().head(),
                                   .viewer = {.principal = principal, .sees_all = true}},
                                  [] {});
        return std::move(*subscription);
    };
    Subscription adas = told("ada");
    Subscription bobs = told("bob");
    const Instant until = clock_.wall() + std::chrono::hours(1);
    one_.broker.snooze(ask->id, ada_.viewer(), until,
                       [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    const auto* snoozes = two_.broker.ledger().find_snoozes("ada");
    ASSERT_TRUE(snoozes);
    EXPECT_EQ(snoozes->at(ask->id), until);
    std::vector<Frame> frames;
    adas.take(frames, 9);
    ASSERT_EQ(frames.size(), 1U);
    const auto& changed = std::get<SnoozeChanged>(std::get<EventPtr>(frames[0])->body);
    EXPECT_EQ(changed.ask, ask->id);
    EXPECT_EQ(changed.until, until);
    frames.clear();
    bobs.take(frames, 9);
    EXPECT_TRUE(frames.empty());
}

TEST_F(TwoNodes, ATokenThatOneRevokesCountsOnTheOtherNoLonger) {
    one_.broker.put_token(token("bot"), [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    ASSERT_TRUE(two_.broker.tokens().contains("bot"));
    const AskPtr ask = ask_on(two_);
    EXPECT_FALSE(two_.broker.ledger().find_pending(ask->id)->is_asker_revoked);
    int revoked = 0;
    two_.broker.on_revoked([&] { ++revoked; });
    one_.broker.touch_token("bot", clock_.wall() + std::chrono::minutes(1));
    settle_down();
    EXPECT_EQ(revoked, 0) << "one that is used goes on counting";
    EXPECT_TRUE(two_.broker.tokens().at("bot")->used_at);
    one_.broker.drop_token("bot", [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    EXPECT_FALSE(two_.broker.tokens().contains("bot"));
    EXPECT_EQ(revoked, 1);
    EXPECT_TRUE(two_.broker.ledger().find_pending(ask->id)->is_asker_revoked);
}

TEST_F(TwoNodes, ATokenThatExpiresEndsWhatRestsOnItThoughNoEventTellsOfIt) {
    Token bot = token("bot");
    bot.expires_at = clock_.wall() + std::chrono::minutes(1);
    one_.broker.put_token(bot, [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    int told = 0;
    two_.broker.on_revoked([&] { ++told; });
    clock_.advance(std::chrono::seconds(59));
    settle_down();
    EXPECT_EQ(told, 0);
    clock_.advance(std::chrono::seconds(2));
    settle_down();
    EXPECT_EQ(told, 1);
}

TEST_F(TwoNodes, EachTokenEndsInItsTimeWhicheverWasMadeFirst) {
    const auto put = [this](std::string name, Millis life) {
        Token bot = token(std::move(name));
        bot.expires_at = clock_.wall() + life;
        one_.broker.put_token(bot, [](const Result<void>& done) { EXPECT_TRUE(done); });
        settle_down();
    };
    int told = 0;
    two_.broker.on_revoked([&] { ++told; });
    // As an import may bring it: so many nanoseconds there are not.
    put("for-ever", std::chrono::hours(24 * 365) * 8000);
    put("second", std::chrono::minutes(2));
    put("first", std::chrono::minutes(1));
    one_.broker.touch_token("second", clock_.wall() + std::chrono::minutes(1));
    settle_down();
    EXPECT_EQ(told, 0);
    for (const int minutes : {1, 2}) {
        clock_.advance(std::chrono::minutes(1));
        settle_down();
        EXPECT_EQ(told, minutes);
    }
    clock_.advance(std::chrono::minutes(1));
    settle_down();
    EXPECT_EQ(told, 2);
}

// One that is slow to hear finds both in one slice of the feed.
TEST_F(TwoNodes, AnAnswerAfterARevocationWakesNobodyBeforeItIsToldOf) {
    one_.broker.put_token(token("bot"), [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    const AskPtr ask = ask_on(two_);
    std::vector<std::string> order;
    two_.broker.on_revoked([&] { two_.home.post([&] { order.emplace_back("cut off"); }); });
    const Wait waiting = two_.broker.wait(
        ask->id, kUnrestricted, [&](const Result<AskPtr>&) { order.emplace_back("answered"); });
    disk_.loses_news = true;
    one_.broker.drop_token("bot", [](const Result<void>& done) { EXPECT_TRUE(done); });
    settle_down();
    one_.broker.dismiss(ask->id, {}, ada_,
                        [](const Result<SettleReply>& done) { EXPECT_TRUE(done); });
    settle_down();
    EXPECT_TRUE(order.empty());
    clock_.advance(limits::kFeedPollEvery);
    settle_down();
    EXPECT_EQ(order, (std::vector<std::string>{"cut off", "answered"}));
}

// Each transaction costs the database the same again: where others write too, a few changes wait
// for about as long as the last one took, so that more of them share the next.
TEST_F(TwoNodes, ChangesGatherWhileOthersWriteAsWell) {
    using std::chrono_literals::operator""ms;
    const auto notices = [&](std::size_t count) {
        return std::vector<Change>(
            count, GiveNotice{.session = {}, .at = clock_.wall(), .notice = {.text = "Tea"}});
    };
    const auto run = [&](std::chrono::nanoseconds commit_takes) {
        while (two_.home.run_one()) {
        }
        clock_.advance(commit_takes);
        sim::run_until_idle(two_.home, two_.worker);
        return two_.store.stats().commits;
    };
    const auto write = [&](std::size_t count, std::chrono::nanoseconds takes = {}) {
        two_.store.commit(notices(count), [](const auto& done) { EXPECT_TRUE(done); });
        return run(takes);
    };
    disk_.loses_news = true;
    const std::uint64_t before = two_.store.stats().commits;
    EXPECT_EQ(write(2, 2ms), before + 1);
    EXPECT_EQ(write(1), before + 2) << "nobody else writes";
    ask_on(one_);
    EXPECT_EQ(write(1, 2ms), before + 3);
    EXPECT_EQ(write(1), before + 4) << "there was nothing to gather";
    ask_on(one_);
    EXPECT_EQ(write(2, 2ms), before + 5);
    EXPECT_EQ(write(1), before + 5);
    EXPECT_EQ(write(1, 1ms), before + 5);
    EXPECT_EQ(run(1ms), before + 6) << "both, once the time is over";
    ask_on(one_);
    EXPECT_EQ(write(2, 2ms), before + 7);
    EXPECT_EQ(write(1), before + 7);
    EXPECT_EQ(write(limits::kGatherEnough), before + 8) << "more are not worth waiting for";
}

// Who is told of an ask while others' changes gather may answer it with them.
TEST_F(TwoNodes, NewsAreToldWhileChangesGather) {
    using std::chrono_literals::operator""ms;
    const auto write = [&](std::size_t count) {
        two_.store.commit(std::vector<Change>(
                              count, GiveNotice{.session = {}, .at = clock_.wall(), .notice = {}}),
                          [](const auto& done) { EXPECT_TRUE(done); });
    };
    disk_.loses_news = true;
    ask_on(one_);
    write(2);
    while (two_.home.run_one()) {
    }
    clock_.advance(2ms);
    settle_down();
    const std::uint64_t before = two_.store.stats().commits;
    write(1);
    disk_.loses_news = false;
    const AskPtr ask = ask_on(one_);
    EXPECT_EQ(two_.store.stats().commits, before) << "the change waits for more";
    EXPECT_TRUE(two_.broker.ledger().find_pending(ask->id));
    clock_.advance(2ms);
    settle_down();
    EXPECT_EQ(two_.store.stats().commits, before + 1);
}

TEST_F(TwoNodes, AStoreThatIsNeverIdleIsTidiedAllTheSame) {
    const Millis pause = limits::kStoreIdleBeforeTidy / 2;
    const auto work_for = [&](Millis time) {
        for (Millis done = {}; done < time; done += pause) {
            two_.store.commit(GiveNotice{.session = {}, .at = clock_.wall(), .notice = {}},
                              [](const auto& written) { EXPECT_TRUE(written); });
            settle_down();
            clock_.advance(pause);
        }
    };
    settle_down();
    clock_.advance(limits::kStoreIdleBeforeTidy);
    settle_down();
    const int before = disk_.tidied;
    work_for(limits::kStoreUntidyMax - 2 * pause);
    EXPECT_EQ(disk_.tidied, before);
    work_for(4 * pause);
    EXPECT_GT(disk_.tidied, before);
}

TEST_F(TwoNodes, NewsThatAreLostOnlyDelay) {
    disk_.loses_news = true;
    const AskPtr ask = ask_on(one_);
    EXPECT_FALSE(two_.broker.ledger().find_pending(ask->id));
    clock_.advance(limits::kFeedPollEvery);
    settle_down();
    EXPECT_TRUE(two_.broker.ledger().find_pending(ask->id));
}

TEST_F(TwoNodes, OneThatIsAskedForWhatItHasNotHeardOfCanCatchUp) {
    disk_.loses_news = true;
    const AskPtr ask = ask_on(one_);
    int caught_up = 0;
    for (int i = 0; i < 2; ++i) {
        two_.broker.catch_up([&] {
            EXPECT_TRUE(two_.broker.find_pending(ask->id, ada_.viewer()));
            ++caught_up;
        });
    }
    settle_down();
    EXPECT_EQ(caught_up, 2);
}

TEST_F(TwoNodes, WhoCatchesUpHearsOfAllThereIs) {
    disk_.loses_news = true;
    disk_.feed_at_once = 2;
    for (int i = 0; i < 5; ++i) ask_on(one_);
    const AskPtr last = ask_on(one_);
    bool has_caught_up = false;
    two_.broker.catch_up([&] {
        EXPECT_TRUE(two_.broker.find_pending(last->id, ada_.viewer()));
        has_caught_up = true;
    });
    settle_down();
    EXPECT_TRUE(has_caught_up);
}

TEST_F(TwoNodes, OneAsksInASessionThatTheOtherHasOpenedJustNow) {
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    const AskPtr second = ask_on(two_, first->session.str());
    ASSERT_TRUE(second);
    EXPECT_EQ(second->session, first->session);
}

TEST_F(TwoNodes, AStopWithdrawsWhatItsNodeHasNotHeardOf) {
    const AskPtr first = ask_on(one_);
    disk_.loses_news = true;
    const AskPtr second = ask_on(one_, first->session.str());
    two_.broker.abort(first->session.str(), ada_, [](const Result<SessionPtr>&) {});
    settle_down();
    for (const AskPtr& ask : {first, second})
        EXPECT_EQ((*disk_.engine.find_ask(ask->id))->state(), AskState::withdrawn);
}

TEST_F(TwoNodes, ASessionThatNobodyHasOpenedIsNotFound) {
    EXPECT_FALSE(ask_on(two_, "ses_00000000000000000000000000"));
}

TEST_F(TwoNodes, AMessageIsOfferedAgainWithANewIdIfTheOtherHasAddedALaterOne) {
    const AskPtr ask = ask_on(one_);
    disk_.messages_to_refuse = 2;
    std::optional<Said> said;
    one_.broker.say(ask->session.str(), "hello", ada_,
                    [&](Result<Said> result) { said = result.value(); });
    settle_down();
    ASSERT_TRUE(said);
    EXPECT_EQ(disk_.messages_to_refuse, 0);
    EXPECT_GT(said->id, disk_.refused);
    const auto messages = (*disk_.engine.open()).messages;
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].message.id, said->id);
}

TEST_F(TwoNodes, ACommitBringsWhatOthersWroteBeforeIt) {
    ask_on(one_);  // opens the session
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    EXPECT_FALSE(two_.broker.ledger().find_pending(first->id));
    const AskPtr second = ask_on(two_);
    EXPECT_TRUE(two_.broker.ledger().find_pending(first->id));
    EXPECT_TRUE(two_.broker.ledger().find_pending(second->id));
    EXPECT_EQ(two_.broker.ledger().head(), (*disk_.engine.open()).head);
}

TEST_F(TwoNodes, APollThatFailsIsAStoreThatIsLostAndReadAsAWholeOnceItIsBack) {
    std::vector<LoopBroker::StoreNews> told;
    two_.broker.on_store_news(
        [&](LoopBroker::StoreNews news, const std::string&) { told.push_back(news); });
    disk_.polls_to_fail = 1;
    disk_.loses_news = true;
    const AskPtr ask = ask_on(one_);
    disk_.news[1]();
    settle_down();
    EXPECT_EQ(told, (std::vector{LoopBroker::StoreNews::lost, LoopBroker::StoreNews::back}));
    EXPECT_TRUE(two_.broker.is_ready());
    EXPECT_TRUE(two_.broker.ledger().find_pending(ask->id));
}

TEST_F(TwoNodes, WhoReadsIsWokenWhenTheStoreIsLostAndWhenItIsBack) {
    std::vector<std::string> causes;  // as they stand when the reader looks, without repetition
    Subscription subscription;
    const auto look = [&] {
        const std::string& cause = two_.broker.lost_because();
        if (causes.empty() || causes.back() != cause) causes.push_back(cause);
        std::vector<Frame> frames;
        subscription.take(frames, 99);
    };
    subscription = std::move(*two_.broker.subscribe({.viewer = {.sees_all = true}}, look));
    look();
    disk_.polls_to_fail = 1;
    disk_.news[1]();
    settle_down();
    ASSERT_EQ(causes.size(), 3U);
    EXPECT_EQ(causes.front(), "");
    EXPECT_NE(causes[1], "");
    EXPECT_EQ(causes.back(), "");
}

// Nobody knows what another node made before the database went away.
TEST_F(TwoNodes, WhatIsNotKnownWhileTheStoreIsAwayIsNotCalledMissing) {
    disk_.loses_news = true;
    const AskPtr ask = ask_on(one_);
    std::vector<ErrorCode> told;
    const auto look = [&] {
        told.push_back(two_.broker.resolve("made-elsewhere", kUnrestricted).error().code);
        two_.broker.snooze(ask->id, kUnrestricted, clock_.wall() + std::chrono::minutes(1),
                           [&](const Result<void>& done) { told.push_back(done.error().code); });
    };
    look();
    settle_down();
    EXPECT_EQ(told, (std::vector{ErrorCode::not_found, ErrorCode::not_found}));
    told.clear();
    two_.broker.on_store_news([&](LoopBroker::StoreNews news, const std::string&) {
        if (news == LoopBroker::StoreNews::lost) look();
    });
    disk_.polls_to_fail = 1;
    disk_.news[1]();
    settle_down();
    EXPECT_EQ(told, (std::vector{ErrorCode::unavailable, ErrorCode::unavailable}));
}

// Who knows its id may be another agent.
TEST_F(TwoNodes, ASessionThatThisOneHasNotHeardOfIsEndedByWhoseItIsAlone) {
    disk_.loses_news = true;
    const Actor other{.principal = "prn_other", .door = "test", .sees_all = false};
    SessionId id;
    one_.broker.open_session({.name = "build"}, other.viewer(),
                             [&](const Result<SessionPtr>& session) { id = (*session)->id; });
    settle_down();
    ASSERT_EQ(two_.broker.find_live(id, kUnrestricted), nullptr);
    std::vector<std::optional<ErrorCode>> told;
    const auto end = [&](const Actor& actor) {
        two_.broker.end_session(id.str(), {}, actor, [&](const Result<SessionPtr>& ended) {
            told.push_back(ended ? std::nullopt : std::optional(ended.error().code));
        });
    };
    two_.broker.on_store_news([&](LoopBroker::StoreNews news, const std::string&) {
        if (news == LoopBroker::StoreNews::lost) end(bot_);
    });
    end(bot_);
    settle_down();
    EXPECT_FALSE((*disk_.engine.find_session(id))->ended_at);
    disk_.polls_to_fail = 1;
    disk_.news[1]();
    settle_down();
    EXPECT_FALSE((*disk_.engine.find_session(id))->ended_at);
    ASSERT_EQ(told, (std::vector<std::optional<ErrorCode>>{ErrorCode::session_of_another,
                                                           ErrorCode::session_of_another}));
    end(other);
    settle_down();
    EXPECT_TRUE((*disk_.engine.find_session(id))->ended_at);
    EXPECT_EQ(told.back(), std::nullopt);
    end(bot_);
    settle_down();
    EXPECT_EQ(told.back(), ErrorCode::not_found);
}

TEST_F(TwoNodes, ItsOwnerEndsASessionWhereItIsNotHeardOfYet) {
    disk_.loses_news = true;
    SessionId id;
    one_.broker.open_session({.name = "build"}, bot_.viewer(),
                             [&](const Result<SessionPtr>& session) { id = (*session)->id; });
    settle_down();
    bool has_ended = false;
    two_.broker.end_session(id.str(), {}, bot_, [&](const Result<SessionPtr>& ended) {
        has_ended = ended.has_value();
    });
    settle_down();
    EXPECT_TRUE(has_ended);
    EXPECT_TRUE((*disk_.engine.find_session(id))->ended_at);
}

// Its store was too slow for one read, or was lost with it.
TEST_F(TwoNodes, AReadThatFailsEndsNoSubscriptionAndIsNoDamage) {
    const Cursor start = one_.broker.ledger().head();
    const AskPtr ask = ask_on(one_);
    Node late{disk_, clock_, 3};
    for (const int polls_to_fail : {0, 1}) {
        disk_.lists_to_fail = 1;
        disk_.polls_to_fail = polls_to_fail;
        Subscription resumed = std::move(
            *late.broker.subscribe({.after = start, .viewer = {.sees_all = true}}, [] {}));
        sim::run_until_idle(late.home, late.worker);
        EXPECT_EQ(disk_.lists_to_fail, 0);
        EXPECT_EQ(disk_.polls_to_fail, 0) << "whether it is away is looked at once";
        clock_.advance(limits::kReadAgain);
        sim::run_until_idle(late.home, late.worker);
        std::vector<Frame> frames;
        resumed.take(frames, 99);
        EXPECT_EQ(resumed.failure(), nullptr);
        EXPECT_FALSE(late.broker.has_damage());
        EXPECT_TRUE(late.broker.is_ready());
        ASSERT_EQ(frames.size(), 2U) << "the session and the ask";
        EXPECT_EQ(std::get<AskOpened>(std::get<EventPtr>(frames[1])->body).ask->id, ask->id);
    }
}

// As somebody makes who writes to the database beside the nodes.
TEST_F(TwoNodes, WhatIsOfASessionThatNobodyKnowsIsDamage) {
    const AskPtr ask = ask_on(one_);
    auto stray = std::make_shared<Ask>(*ask);
    stray->session = SessionId::parse("ses_00000000000000000000000000").value();
    const std::vector<EventBody> bodies = {AskOpened{stray}, MessagesTaken{},
                                           MessageAdded{{}, "hello", {}}};
    std::uint64_t number = two_.broker.ledger().head().value;
    for (const EventBody& body : bodies) {
        disk_.forged = std::make_shared<const Event>(
            Event{Cursor{++number}, clock_.wall(), stray->session, body});
        disk_.news[1]();
        sim::run_until_idle(two_.home, two_.worker);
        EXPECT_EQ(two_.broker.ledger().head().value, number);
    }
    EXPECT_TRUE(two_.broker.has_damage());
    EXPECT_EQ(two_.broker.ledger().pending().size(), 1U);
}

TEST_F(TwoNodes, AReadThatFailsEndsNoWait) {
    const AskPtr ask = ask_on(one_);
    two_.broker.answer(ask->id, {{.selected = {"Yes"}}}, {}, ada_,
                       [](const Result<SettleReply>& reply) { EXPECT_TRUE(reply->is_yours); });
    settle_down();
    disk_.finds_to_fail = 2;
    AskPtr settled;
    const Wait wait = one_.broker.wait(ask->id, bot_.viewer(), [&](Result<AskPtr> result) {
        ASSERT_TRUE(result) << result.error().message;
        settled = *result;
    });
    for (int i = 0; i < 3; ++i) {
        settle_down();
        clock_.advance(limits::kReadAgain);
    }
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->settlement->decider.principal, "ada");
}

TEST_F(TwoNodes, ASessionThatTheOtherOpenedAtTheSameMomentIsAskedIn) {
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    const AskPtr second = ask_on(two_);
    EXPECT_EQ(second->session, first->session);
    EXPECT_EQ(two_.broker.ledger().pending().size(), 2U);
}

// What is asked, or said, in a session whose opening is on its way and is not the first.
TEST_F(TwoNodes, WhatFollowsALostOpeningGoesWhereTheOtherOpened) {
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    std::vector<AskPtr> opened;
    const auto ask = [&] {
        AskSpec spec{.questions = {{.text = "Tea?", .header = "Tea", .options = {{"Yes", ""}}}}};
        two_.broker.ask({.spec = std::move(spec)}, kOpenProfile, bot_,
                        [&](Result<OpenedAsk> result) {
                            ASSERT_TRUE(result) << result.error().message;
                            opened.push_back(result->ask);
                        });
    };
    ask();
    ask();
    const std::string name = "shared";
    one_.broker.open_session({.name = name}, ada_.viewer(), [](const Result<SessionPtr>&) {});
    sim::run_until_idle(one_.home, one_.worker);
    int said = 0;
    for (int turn = 0; turn < 2; ++turn)
        two_.broker.say(name, "hello", ada_, [&](const Result<Said>& result) {
            ASSERT_TRUE(result) << result.error().message;
            ++said;
        });
    settle_down();
    ASSERT_EQ(opened.size(), 2U);
    for (const AskPtr& one : opened) EXPECT_EQ(one->session, first->session);
    EXPECT_EQ(said, 2);
    EXPECT_EQ(two_.broker.ledger().sessions().size(), 2U);
}

// Who resumes may have heard more from one node than the other knows yet.
TEST_F(TwoNodes, ACursorOfTheOneIsGoodOnTheOtherThatIsBehind) {
    ask_on(one_);
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    const Cursor seen = one_.broker.ledger().head();
    ASSERT_LT(two_.broker.ledger().head(), seen);
    Subscription resumed =
        std::move(*two_.broker.subscribe({.after = seen, .viewer = {.sees_all = true}}, [] {}));
    std::vector<Frame> frames;
    const auto take = [&] {
        settle_down();
        resumed.take(frames, 99);
    };
    take();
    take();
    EXPECT_TRUE(frames.empty()) << "neither a reset nor what was seen";
    disk_.loses_news = false;
    const AskPtr second = ask_on(one_);
    take();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(std::get<AskOpened>(std::get<EventPtr>(frames[0])->body).ask->id, second->id);
}

// Ids of two nodes come a little out of order: such an ask is in the snapshot or in the events.
TEST_F(TwoNodes, AnAskWithALowIdIsToldOnce) {
    const AskPtr first = ask_on(one_);
    const AskPtr last = ask_on(one_);
    Subscription fresh = std::move(*one_.broker.subscribe({.viewer = {.sees_all = true}}, [] {}));
    std::vector<Frame> frames;
    fresh.take(frames, 1);
    auto late = std::make_shared<Ask>(*last);
    late->id = AskId(IdBits{last->id.bits().high, last->id.bits().low - 1});
    ASSERT_LT(first->id, late->id);
    ASSERT_TRUE(disk_.engine.commit(std::vector<Change>{OpenAsk{late}}));
    disk_.news[0]();
    settle_down();
    fresh.take(frames, 99);
    int told = 0;
    for (const Frame& frame : frames) {
        if (const auto* shown = std::get_if<SnapshotAsk>(&frame))
            told += shown->ask->id == late->id;
        if (const auto* event = std::get_if<EventPtr>(&frame))
            if (const auto* opened = std::get_if<AskOpened>(&(*event)->body))
                told += opened->ask->id == late->id;
    }
    EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace parley
