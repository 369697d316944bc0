// SPDX-License-Identifier: Apache-2.0
// Two brokers over one store, for tests: each has its own loop; the disk is shared.
#pragma once

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

namespace parley::nodes_testing {

// The store that all nodes share, and whom it tells of news.
struct SharedDisk {
    explicit SharedDisk(const Clock& clock) : engine(clock) {}

    MemoryEngine engine;
    std::vector<std::function<void()>> news = {};
    bool loses_news = false;
    bool is_shared = true;  // who opens it is told so
    int polls_to_fail = 0;
    std::size_t feed_at_once = 1000;
    EventPtr forged = {};   // told by the next poll
    int lists_to_fail = 0;  // of events
    int finds_to_fail = 0;  // of asks
    int tidied = 0;
    int messages_to_refuse = 0;  // since another node has added a later one
    MessageId refused = {};
};

class NodeEngine final : public Engine {
public:
    explicit NodeEngine(SharedDisk& disk) : disk_(disk) {}

    bool watch_feed(std::function<void()> news) override {
        disk_.news.push_back(std::move(news));
        return true;
    }
    Result<FeedSlice> poll_feed() override {
        if (take_one(disk_.polls_to_fail))
            return reject(ErrorCode::unavailable, "the database is away");
        if (disk_.forged) return FeedSlice{{std::exchange(disk_.forged, nullptr)}};
        TRY(page, disk_.engine.list_events({.after = fed_, .limit = disk_.feed_at_once}));
        if (!page.events.empty()) fed_ = page.events.back()->cursor;
        return FeedSlice{std::move(page.events), page.has_more};
    }
    Result<Snapshot> open() override {
        TRY(snapshot, disk_.engine.open());
        fed_ = snapshot.head;
        snapshot.is_shared = disk_.is_shared;
        return snapshot;
    }
    void close() noexcept override {}
    Result<CommitReport> commit(std::span<const Change> changes) override {
        if (disk_.messages_to_refuse > 0 && std::holds_alternative<AddMessage>(changes.back())) {
            --disk_.messages_to_refuse;
            disk_.refused = std::get<AddMessage>(changes.back()).message.id;
            return CommitReport{.outcomes = {{Verdict::conflict}}, .events = {}};
        }
        TRY(report, disk_.engine.commit(changes));
        TRY(events, read_feed());
        report.of_others = events.size() - report.events.size();
        report.events = std::move(events);
        if (!disk_.loses_news)
            for (const auto& tell : disk_.news) tell();
        return report;
    }
    Result<AskPtr> find_ask(AskId id) override {
        if (take_one(disk_.finds_to_fail)) return too_slow();
        return disk_.engine.find_ask(id);
    }
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
        if (take_one(disk_.lists_to_fail)) return too_slow();
        return disk_.engine.list_events(query);
    }
    Result<bool> tidy_up() override {
        ++disk_.tidied;
        return false;
    }

private:
    static bool take_one(int& left) {
        if (left == 0) return false;
        --left;
        return true;
    }
    static Rejection too_slow() {
        return reject(ErrorCode::unavailable, "canceling statement due to statement timeout");
    }
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

class NodesFixture : public testing::Test {
protected:
    void settle_down() {
        // What one writes is news to the other.
        for (int round = 0; round < 4; ++round)
            for (Node* node : {&one_, &two_}) sim::run_until_idle(node->home, node->worker);
    }
    // Null where it was refused.
    AskPtr ask_on(Node& node, std::string session = {}) {
        AskPtr opened;
        AskSpec spec{.questions = {{.text = "Tea?", .header = "Tea", .options = {{"Yes", ""}}}}};
        node.broker.ask({.spec = std::move(spec), .session = std::move(session)}, kOpenProfile,
                        bot_, [&](const Result<OpenedAsk>& result) {
                            if (result) opened = result->ask;
                        });
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
    const Actor ada_ = unrestricted_actor("ada", "test");
};

}  // namespace parley::nodes_testing
