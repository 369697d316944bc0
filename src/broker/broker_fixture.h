// SPDX-License-Identifier: Apache-2.0
// For tests: a broker over the memory engine in simulated time, which can die and start again.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "broker/limits.h"
#include "store/memory_engine.h"
#include "support/sim_world.h"

namespace parley {

// The durable part outlives a process.
class SharedEngine final : public Engine {
public:
    explicit SharedEngine(MemoryEngine& disk) : disk_(disk) {}
    Result<Snapshot> open() override { return disk_.open(); }
    void close() noexcept override {}
    Result<CommitReport> commit(std::span<const Change> changes) override {
        return disk_.commit(changes);
    }
    Result<AskPtr> find_ask(AskId id) override { return disk_.find_ask(id); }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        return disk_.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override { return disk_.find_session(id); }
    Result<AskPage> list_asks(const AskQuery& query) override {
        ++ask_lists;
        return disk_.list_asks(query);
    }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        return disk_.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        if (disk_error) return reject(*disk_error, "a damaged event");
        return disk_.list_events(query);
    }
    static inline std::optional<ErrorCode> disk_error = {};  // of events
    static inline int ask_lists = 0;                         // that were asked for
    Result<bool> tidy_up() override { return disk_.tidy_up(); }
    Result<Pruned> prune(const Retention& before) override { return disk_.prune(before); }

private:
    MemoryEngine& disk_;
};

struct Process {
    Process(MemoryEngine& disk, sim::SimClock& clock, std::size_t ledger_bytes, Quota quota)
        : home(clock),
          worker(clock),
          store(std::make_unique<SharedEngine>(disk), {worker, home, clock}),
          broker({home, clock, store, [random = std::mt19937_64(1)]() mutable { return random(); },
                  ledger_bytes, quota}) {}
    void settle_down() { sim::run_until_idle(home, worker); }

    sim::SimExecutor home;
    sim::SimExecutor worker;
    Store store;
    LoopBroker broker;
};

class BrokerTest : public testing::Test {
protected:
    BrokerTest() { restart(); }

    void restart(std::size_t ledger_bytes = limits::kLedgerBytes, Quota quota = {}) {
        process_.reset();
        process_ = std::make_unique<Process>(disk_, clock_, ledger_bytes, quota);
        bool is_started = false;
        process_->broker.start([&](Result<void> result) { is_started = result.has_value(); });
        process_->settle_down();
        ASSERT_TRUE(is_started);
    }

    // Time passes in small steps, so that timers fire at their own moment.
    void pass(Millis time) {
        const Mono end = clock_.mono() + time;
        while (clock_.mono() < end) {
            clock_.advance(
                std::min<std::chrono::nanoseconds>(end - clock_.mono(), std::chrono::seconds(1)));
            process_->settle_down();
        }
    }

    AskSpec spec(std::string text = "Tea or coffee?") {
        return {.questions = {{.text = std::move(text),
                               .header = "Drink",
                               .options = {{"Tea", ""}, {"Coffee", ""}}}}};
    }
    Result<OpenedAsk> ask(AskRequest request) {
        Result<OpenedAsk> got = reject(ErrorCode::internal, "not called");
        broker().ask(std::move(request), kOpenProfile, agent_,
                     [&](Result<OpenedAsk> result) { got = std::move(result); });
        process_->settle_down();
        return got;
    }
    AskPtr open(AskRequest request) {
        auto opened = ask(std::move(request));
        EXPECT_TRUE(opened) << opened.error().message;
        return opened->ask;
    }
    Result<SettleReply> answer(AskId id, std::string label, const Actor& actor) {
        Result<SettleReply> got = reject(ErrorCode::internal, "not called");
        broker().answer(id, {{.selected = {std::move(label)}}}, {}, actor,
                        [&](Result<SettleReply> result) { got = std::move(result); });
        process_->settle_down();
        return got;
    }
    AskPtr stored(AskId id) { return *disk_.find_ask(id); }
    LoopBroker& broker() { return process_->broker; }

    const Actor agent_ = unrestricted_actor("bot", "test");
    const Actor ada_ = unrestricted_actor("ada", "test");
    const Actor bob_ = unrestricted_actor("bob", "test");
    sim::SimClock clock_;
    MemoryEngine disk_{clock_};
    std::unique_ptr<Process> process_;
};

// Subscriptions: everything once, in order, whatever the reader does.
class SubscriptionTest : public BrokerTest {
protected:
    // Who names no viewer sees all.
    Subscription subscribe(SubscribeRequest request) {
        if (request.viewer.principal.empty()) request.viewer = kUnrestricted;
        auto subscription = broker().subscribe(std::move(request), [this] { ++ready_calls_; });
        EXPECT_TRUE(subscription);
        process_->settle_down();
        return std::move(*subscription);
    }
    std::vector<Frame> take_all(Subscription& subscription, std::size_t step = 3) {
        std::vector<Frame> frames;
        for (int idle = 0; idle < 3;) {
            const std::size_t before = frames.size();
            subscription.take(frames, step);
            idle = frames.size() == before ? idle + 1 : 0;
            process_->settle_down();
        }
        return frames;
    }
    static std::vector<Cursor> cursors(const std::vector<Frame>& frames) {
        std::vector<Cursor> list;
        for (const Frame& frame : frames)
            if (const auto* event = std::get_if<EventPtr>(&frame)) list.push_back((*event)->cursor);
        return list;
    }

    int ready_calls_ = 0;
};

}  // namespace parley
