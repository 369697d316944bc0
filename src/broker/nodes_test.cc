// SPDX-License-Identifier: Apache-2.0
// Two brokers over one store: what one of them writes, the other folds from the feed and from
// nothing else. Each has its own loop; the disk is shared.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "store/limits.h"
#include "store/memory_engine.h"
#include "support/sim_world.h"

namespace parley {
namespace {

// The store that all nodes share, and whom it tells of news.
struct SharedDisk {
    explicit SharedDisk(const Clock& clock) : engine(clock) {}

    MemoryEngine engine;
    std::vector<std::function<void()>> news = {};
    bool loses_news = false;
    int polls_to_fail = 0;
};

class NodeEngine final : public Engine {
public:
    explicit NodeEngine(SharedDisk& disk) : disk_(disk) {}

    bool watch_feed(std::function<void()> news) override {
        disk_.news.push_back(std::move(news));
        return true;
    }
    Result<std::vector<EventPtr>> poll_feed() override {
        if (disk_.polls_to_fail > 0 && disk_.polls_to_fail-- > 0)
            return reject(ErrorCode::unavailable, "the database is away");
        return read_feed();
    }
    Result<Snapshot> open() override {
        TRY(snapshot, disk_.engine.open());
        fed_ = snapshot.head;
        return snapshot;
    }
    void close() noexcept override {}
    Result<CommitReport> commit(std::span<const Change> changes) override {
        TRY(report, disk_.engine.commit(changes));
        TRY(events, read_feed());
        report.events = std::move(events);
        if (!disk_.loses_news)
            for (const auto& tell : disk_.news) tell();
        return report;
    }
    Result<AskPtr> find_ask(AskId id) override { return disk_.engine.find_ask(id); }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        return disk_.engine.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override { return disk_.engine.find_session(id); }
    Result<AskPage> list_asks(const AskQuery& query) override {
        return disk_.engine.list_asks(query);
    }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        return disk_.engine.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        return disk_.engine.list_events(query);
    }
    Result<bool> tidy_up() override { return false; }

private:
    Result<std::vector<EventPtr>> read_feed() {
        TRY(page, disk_.engine.list_events({.after = fed_}));
        if (!page.events.empty()) fed_ = page.events.back()->cursor;
        return std::move(page.events);
    }

    SharedDisk& disk_;
    Cursor fed_;
};

struct Node {
    Node(SharedDisk& disk, sim::SimClock& clock, std::uint64_t seed)
        : home(clock),
          worker(clock),
          store(std::make_unique<NodeEngine>(disk), {worker, home, clock}),
          broker({home, clock, store,
                  [random = std::mt19937_64(seed)]() mutable { return random(); }}) {
        broker.start([](const Result<void>& started) { EXPECT_TRUE(started); });
        sim::run_until_idle(home, worker);
    }

    sim::SimExecutor home;
    sim::SimExecutor worker;
    Store store;
    LoopBroker broker;
};

class Nodes : public testing::Test {
protected:
    void settle_down() {
        // What one writes is news to the other.
        for (int round = 0; round < 4; ++round)
            for (Node* node : {&one_, &two_}) sim::run_until_idle(node->home, node->worker);
    }
    AskPtr ask_on(Node& node) {
        AskPtr opened;
        AskSpec spec{.questions = {{.text = "Tea?", .header = "Tea", .options = {{"Yes", ""}}}}};
        node.broker.ask({.spec = std::move(spec)}, kOpenProfile, bot_,
                        [&](Result<OpenedAsk> result) { opened = result.value().ask; });
        settle_down();
        return opened;
    }
    Token token(std::string name) const {
        return {.name = std::move(name),
                .role = Role::agent,
                .hash = "aa11",
                .created_at = clock_.wall(),
                .principal = "prn_bot",
                .person = "bot"};
    }

    sim::SimClock clock_;
    SharedDisk disk_{clock_};
    Node one_{disk_, clock_, 1};
    Node two_{disk_, clock_, 2};
    const Actor bot_{.principal = "prn_bot", .door = "test", .sees_all = false};
    const Actor ada_{.principal = "ada", .door = "test"};
};

TEST_F(Nodes, AskedOnOneAnsweredOnTheOther) {
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

TEST_F(Nodes, ASnoozeOnOneIsToldToItsPersonOnTheOther) {
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

TEST_F(Nodes, ATokenThatOneRevokesCountsOnTheOtherNoLonger) {
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

TEST_F(Nodes, NewsThatAreLostOnlyDelay) {
    disk_.loses_news = true;
    const AskPtr ask = ask_on(one_);
    EXPECT_FALSE(two_.broker.ledger().find_pending(ask->id));
    clock_.advance(limits::kFeedPollEvery);
    settle_down();
    EXPECT_TRUE(two_.broker.ledger().find_pending(ask->id));
}

TEST_F(Nodes, ACommitBringsWhatOthersWroteBeforeIt) {
    ask_on(one_);  // opens the session
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    EXPECT_FALSE(two_.broker.ledger().find_pending(first->id));
    const AskPtr second = ask_on(two_);
    EXPECT_TRUE(two_.broker.ledger().find_pending(first->id));
    EXPECT_TRUE(two_.broker.ledger().find_pending(second->id));
    EXPECT_EQ(two_.broker.ledger().head(), (*disk_.engine.open()).head);
}

TEST_F(Nodes, APollThatFailsIsAStoreThatIsLostAndReadAsAWholeOnceItIsBack) {
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

TEST_F(Nodes, ASessionThatTheOtherOpenedAtTheSameMomentIsAskedIn) {
    disk_.loses_news = true;
    const AskPtr first = ask_on(one_);
    const AskPtr second = ask_on(two_);
    EXPECT_EQ(second->session, first->session);
    EXPECT_EQ(two_.broker.ledger().pending().size(), 2U);
}

// Who resumes may have heard more from one node than the other knows yet.
TEST_F(Nodes, ACursorOfTheOneIsGoodOnTheOtherThatIsBehind) {
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
TEST_F(Nodes, AnAskWithALowIdIsToldOnce) {
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
