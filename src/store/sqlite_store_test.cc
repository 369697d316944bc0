// SPDX-License-Identifier: Apache-2.0
// The commit queue over the SQLite engine on a failing disk: listeners learn of the loss and of the
// state that is really there, and every commit is answered once, with what is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/fault_vfs.h"
#include "store/limits.h"
#include "store/memory_engine.h"
#include "store/sqlite_engine.h"
#include "store/store.h"
#include "store/test_values.h"

namespace parley {

namespace {

using Failure = CrashVfs::Failure;
using Lasts = CrashVfs::Lasts;
using testing::ElementsAre;

// Home and worker in one: tasks run when the test says so, timers when time is moved.
class HandLoop final : public Executor, public Clock {
public:
    void post(Task task) override { tasks_.push_back(std::move(task)); }
    void post_at(Mono when, Task task) override { timers_.emplace(when, std::move(task)); }
    Instant wall() const override { return Instant(std::chrono::days(20'000)); }
    Mono mono() const override { return now_; }

    void run() {
        while (!tasks_.empty()) {
            Task task = std::move(tasks_.front());
            tasks_.pop_front();
            task();
        }
    }
    void advance(std::chrono::nanoseconds by) {
        now_ += by;
        run();
        while (!timers_.empty() && timers_.begin()->first <= now_) {
            Task task = std::move(timers_.begin()->second);
            timers_.erase(timers_.begin());
            task();
            run();
        }
    }

private:
    Mono now_ = {};
    std::deque<Task> tasks_;
    std::multimap<Mono, Task> timers_;
};

class SqliteStoreTest : public testing::Test, protected StoreListener {
public:
    ~SqliteStoreTest() override {
        store_.close([] {});
        loop_.run();
    }

protected:
    SqliteStoreTest() {
        store_.open(*this, [this](Result<Snapshot> opened) { is_open_ = opened.has_value(); });
        loop_.run();
        EXPECT_TRUE(is_open_);
        session_ = make_.session();
        commit(OpenSession{session_}, "session");
        loop_.run();
        log_.clear();
    }

    void on_committed(std::span<const EventPtr> events) override {
        log_.push_back(fmt::format("{} events", events.size()));
    }
    void on_lost(const Error&) override { log_.emplace_back("lost"); }
    void on_reopened(Snapshot snapshot) override {
        log_.push_back(fmt::format("reopened with {} pending", snapshot.pending.size()));
    }

    void commit(Change change, std::string name) {
        store_.commit(
            std::move(change), [this, name](Result<std::span<const ChangeOutcome>> outcomes) {
                log_.push_back(name + " " +
                               (outcomes ? std::string(to_string((*outcomes)[0].verdict))
                                         : std::string(to_string(outcomes.error().code))));
            });
    }

    CrashVfs disk_;
    HandLoop loop_;
    TestValues make_;
    bool is_open_ = false;
    std::vector<std::string> log_;
    SessionPtr session_;
    Store store_{std::make_unique<SqliteEngine>(
                     SqliteOptions{.path = "/store.db", .vfs = disk_.name()}, loop_),
                 {.worker = loop_, .home = loop_, .clock = loop_}};
};

}  // namespace

TEST_F(SqliteStoreTest, AFailureThatPassesIsRepairedBeforeAnyoneIsAnswered) {
    const AskPtr ask = make_.ask(session_->id);
    disk_.inject(Failure::io_error, 1);
    commit(OpenAsk{ask}, "ask");
    commit(make_.notice(session_->id), "notice");
    loop_.run();
    EXPECT_THAT(log_, ElementsAre("lost", "reopened with 0 pending", "2 events", "ask applied",
                                  "notice applied"));
}

TEST_F(SqliteStoreTest, ATransactionThatWasStoredAfterAllIsNotStoredTwice) {
    const AskPtr ask = make_.ask(session_->id);
    // The write arrives and only its sync fails, also while closing: the log keeps the transaction.
    disk_.inject(Failure::lost_sync, 1, Lasts::once);
    commit(OpenAsk{ask}, "ask");
    commit(make_.notice(session_->id), "notice");
    loop_.run();
    ASSERT_EQ(log_.size(), 5U);
    EXPECT_EQ(log_[0], "lost");
    EXPECT_THAT(log_, testing::Contains("ask applied")) << "whose it is was first";
    std::vector<EventPtr> events;
    store_.list_events({.after = {first_cursor(loop_.wall()).value}}, [&](Result<EventPage> page) {
        ASSERT_TRUE(page);
        events = page->events;
    });
    loop_.run();
    EXPECT_EQ(events.size(), 3U) << describe(events);
}

TEST_F(SqliteStoreTest, AFailureThatLastsIsAnErrorToEveryoneWhoWaitsAndNothingIsAcknowledged) {
    disk_.inject(Failure::disk_full, 1, Lasts::until_cleared);
    commit(OpenAsk{make_.ask(session_->id)}, "one");
    loop_.run();
    commit(OpenAsk{make_.ask(session_->id)}, "two");
    loop_.advance(limits::kStoreReopenDelayMax);
    EXPECT_THAT(log_, testing::Contains("lost"));
    EXPECT_THAT(log_, testing::Contains("one unavailable"));
    EXPECT_THAT(log_, testing::Contains("two unavailable"));
    EXPECT_THAT(log_, testing::Not(testing::Contains("1 events")));
}

TEST_F(SqliteStoreTest, TheStoreServesAgainOnceTheDiskDoes) {
    disk_.inject(Failure::read_only, 1, Lasts::until_cleared);
    commit(OpenAsk{make_.ask(session_->id)}, "one");
    loop_.run();
    disk_.clear_failure();
    loop_.advance(limits::kStoreReopenDelayMax);
    log_.clear();
    commit(OpenAsk{make_.ask(session_->id)}, "two");
    loop_.run();
    EXPECT_THAT(log_, ElementsAre("1 events", "two applied"));
}

// Whoever reads much keeps nobody from writing for longer than a slice takes.
TEST_F(SqliteStoreTest, WhatIsWrittenGoesBetweenTheSlicesOfAPage) {
    for (int i = 0; i < 400; ++i) commit(make_.notice(session_->id), "notice");
    loop_.run();
    log_.clear();
    std::vector<EventPtr> events;
    store_.list_events({.after = first_cursor(loop_.wall())}, [&](Result<EventPage> page) {
        ASSERT_TRUE(page);
        events = page->events;
        log_.emplace_back(page->has_more ? "page" : "last page");
    });
    commit(make_.notice(session_->id), "between");
    loop_.run();
    EXPECT_THAT(log_, ElementsAre("1 events", "between applied", "last page"));
    ASSERT_EQ(events.size(), 402U);
    for (std::size_t i = 0; i < events.size(); ++i)
        EXPECT_EQ(events[i]->cursor.value, first_cursor(loop_.wall()).value + 1 + i);
}

TEST_F(SqliteStoreTest, APageInSlicesIsAsLongAsItWasAskedFor) {
    std::vector<AskPtr> asks;
    for (int i = 0; i < 150; ++i) {
        asks.push_back(make_.ask(session_->id, {.asker = i % 3 == 0 ? "ada" : "bob"}));
        commit(OpenAsk{asks.back()}, "ask");
    }
    loop_.run();
    std::vector<AskPage> pages;
    const auto list = [&](const AskQuery& query) {
        store_.list_asks(query, [&](Result<AskPage> page) { pages.push_back(page.value()); });
        loop_.run();
    };
    list({.session = session_->id, .asker = "ada", .limit = 45});
    list({.session = session_->id, .asker = "ada", .after = pages[0].last, .limit = 45});
    ASSERT_EQ(pages.size(), 2U);
    EXPECT_EQ(pages[0].asks.size(), 45U);
    EXPECT_TRUE(pages[0].has_more);
    EXPECT_EQ(pages[1].asks.size(), 5U);
    EXPECT_FALSE(pages[1].has_more);
    EXPECT_EQ(pages[1].asks.back()->id, asks[147]->id);
}

TEST_F(SqliteStoreTest, WhatIsWrittenGoesBetweenTheSlicesOfAListOfSessions) {
    std::vector<SessionId> ids = {session_->id};
    for (int i = 0; i < 200; ++i) {
        const SessionPtr session = make_.session();
        ids.push_back(session->id);
        commit(OpenSession{session}, "session");
    }
    loop_.run();
    log_.clear();
    std::vector<SessionPage> pages;
    const auto list = [&](const SessionQuery& query) {
        store_.list_sessions(query, [&](Result<SessionPage> page) {
            pages.push_back(page.value());
            log_.emplace_back("page");
        });
    };
    list({.limit = 150});
    commit(make_.notice(session_->id), "between");
    loop_.run();
    EXPECT_THAT(log_, ElementsAre("1 events", "between applied", "page"));
    list({.after = pages[0].sessions.back()->id, .limit = 150});
    list({.limit = 300, .order = ListOrder::newest_first});
    loop_.run();
    ASSERT_EQ(pages.size(), 3U);
    EXPECT_EQ(pages[0].sessions.size(), 150U);
    EXPECT_TRUE(pages[0].has_more);
    EXPECT_EQ(pages[1].sessions.size(), 51U);
    EXPECT_FALSE(pages[1].has_more || pages[2].has_more);
    ASSERT_EQ(pages[2].sessions.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto& page = pages[i < 150 ? 0 : 1].sessions;
        EXPECT_EQ(page[i % 150]->id, ids[i]);
        EXPECT_EQ(pages[2].sessions[ids.size() - 1 - i]->id, ids[i]);
    }
}

// At every operation of the disk: who was told "applied" finds the ask, whatever happened.
TEST_F(SqliteStoreTest, WhoIsToldAppliedFindsTheAskAfterAPowerLoss) {
    int told = 0;
    for (std::uint64_t nth = 1; nth < 60; ++nth) {
        SCOPED_TRACE(nth);
        log_.clear();
        disk_.inject(nth % 2 == 0 ? Failure::io_error : Failure::lost_sync, 1 + nth / 4);
        std::vector<AskPtr> asks;
        for (int i = 0; i < 4; ++i) {
            asks.push_back(make_.ask(session_->id));
            commit(OpenAsk{asks.back()}, std::to_string(i));
            loop_.run();
        }
        loop_.advance(limits::kStoreReopenDelayMax);
        disk_.crash(nth);
        SqliteEngine witness({.path = "/store.db", .vfs = disk_.name()}, loop_);
        ASSERT_TRUE(witness.open());
        for (std::size_t i = 0; i < asks.size(); ++i) {
            if (std::ranges::count(log_, std::to_string(i) + " applied") == 0) continue;
            ++told;
            EXPECT_EQ(describe(witness.find_ask(asks[i]->id).value()), describe(asks[i]));
        }
        witness.close();
        // The store's own files are dead now: it notices, opens again and goes on.
        commit(make_.notice(session_->id), "again");
        loop_.run();
        loop_.advance(limits::kStoreReopenDelayMax);
    }
    EXPECT_GT(told, 150);
}

// A store in memory that somebody else writes to as well.
class SharedMemory final : public Engine {
public:
    SharedMemory(std::function<void()>& news, const Clock& clock) : news_(news), memory_(clock) {}

    void write_as_another(const Change& change) {
        auto report = memory_.commit({&change, 1});
        ASSERT_TRUE(report);
        untold_.insert(untold_.end(), report->events.begin(), report->events.end());
    }

    bool watch_feed(std::function<void()> news) override {
        news_ = std::move(news);
        return true;
    }
    Result<FeedSlice> poll_feed() override { return FeedSlice{std::exchange(untold_, {})}; }
    Result<CommitReport> commit(std::span<const Change> changes) override {
        auto report = memory_.commit(changes);
        if (report) report->of_others = untold_.size();
        if (report) report->events.insert(report->events.begin(), untold_.begin(), untold_.end());
        untold_.clear();
        return report;
    }
    Result<Snapshot> open() override { return memory_.open(); }
    void close() noexcept override { memory_.close(); }
    Result<AskPtr> find_ask(AskId id) override { return memory_.find_ask(id); }
    Result<AskPtr> find_ask_by_call(SessionId session, std::string_view call_id) override {
        return memory_.find_ask_by_call(session, call_id);
    }
    Result<SessionPtr> find_session(SessionId id) override { return memory_.find_session(id); }
    Result<AskPage> list_asks(const AskQuery& query) override { return memory_.list_asks(query); }
    Result<SessionPage> list_sessions(const SessionQuery& query) override {
        return memory_.list_sessions(query);
    }
    Result<EventPage> list_events(const EventQuery& query) override {
        return memory_.list_events(query);
    }
    Result<bool> tidy_up() override { return memory_.tidy_up(); }

private:
    std::function<void()>& news_;
    MemoryEngine memory_;
    std::vector<EventPtr> untold_;
};

// Its thread goes on for a moment after the store that it told of news.
TEST(Store, NewsThatComeAfterItHasGoneWakeNoWorker) {
    HandLoop home;
    std::function<void()> news;
    auto worker = std::make_unique<HandLoop>();
    auto store = std::make_unique<Store>(std::make_unique<SharedMemory>(news, home),
                                         Store::Wiring{*worker, home, home});
    news();
    worker->run();
    home.run();
    store.reset();
    worker.reset();
    news();
    home.run();
}

// Keeps the cursors that it was told of.
class Folding final : public StoreListener {
public:
    void on_committed(std::span<const EventPtr> events) override {
        for (const EventPtr& event : events) cursors.push_back(event->cursor.value);
    }
    void on_lost(const Error& error) override { ADD_FAILURE() << error.message; }
    void on_reopened(Snapshot) override {}

    std::vector<std::uint64_t> cursors;
};

// What was read for it counts as told: its own last commit follows on that.
TEST(Store, WhatOthersWroteIsToldWhileItCloses) {
    HandLoop home;
    HandLoop worker;
    TestValues make;
    Folding listener;
    std::function<void()> news;
    auto made = std::make_unique<SharedMemory>(news, home);
    SharedMemory& engine = *made;
    Store store(std::move(made), {worker, home, home});
    const auto settle_down = [&] {
        for (int i = 0; i < 8; ++i) {
            worker.run();
            home.run();
        }
    };
    std::uint64_t head = 0;
    store.open(listener, [&](Result<Snapshot> opened) { head = opened->head.value; });
    settle_down();
    const SessionPtr session = make.session();
    engine.write_as_another(OpenSession{session});
    engine.write_as_another(make.notice(session->id));
    news();
    worker.run();
    std::string told;
    store.commit(make.notice(session->id), [&](auto outcomes) { told = outcomes ? "done" : "no"; });
    store.close([&] { told += ", closed"; });
    settle_down();
    EXPECT_EQ(told, "done, closed");
    EXPECT_THAT(listener.cursors, ElementsAre(head + 1, head + 2, head + 3));
}

}  // namespace parley
