// SPDX-License-Identifier: Apache-2.0
// The SQLite engine on a disk that fails or loses power at every single operation: an Error, never
// an acknowledgement that does not hold; and whatever open() then finds is what was acknowledged,
// with or without the transaction that failed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/sizes.h"
#include "store/engine_conformance_model.h"
#include "store/fault_vfs.h"
#include "store/limits.h"
#include "store/random_changes.h"
#include "store/sqlite_engine.h"
#include "store/test_values.h"

namespace parley {

namespace {

using Failure = CrashVfs::Failure;
using Lasts = CrashVfs::Lasts;

// How the store comes back after an Error.
enum class Return : std::uint8_t { same_engine, new_process, after_power_loss };

constexpr const char* kPath = "/store.db";
// So little that larger transactions go to the log, and are read from there, before they end.
constexpr std::size_t kCacheBytes = 16 * limits::kKiB;

// Transactions of which each, offered again, changes nothing. They write little and much, to every
// table.
std::vector<std::vector<Change>> script() {
    TestValues make;
    const SessionPtr one = make.session("one");
    const SessionPtr two = make.session();
    std::vector<AskPtr> asks;
    for (int i = 0; i < 4; ++i) asks.push_back(make.ask(one->id, {.key = fmt::format("k{}", i)}));
    const AskPtr big = make.ask(one->id, {.call_id = "c"}, std::string(9'000, 'x'));
    const AddMessage message = make.message(one->id);

    std::vector<std::vector<Change>> batches;
    batches.push_back({OpenSession{one}, OpenSession{two}, PutToken{make.token("t", "aa")}});
    batches.push_back({OpenAsk{asks[0]}, OpenAsk{asks[1]}, OpenAsk{asks[2]}, OpenAsk{asks[3]}});
    batches.push_back({make.draft(asks[0]->id, "half"),
                       PutSnooze{asks[1]->id, make.tick(), "ada", make.tick()}, make.part(one->id),
                       make.notice(one->id), make.notice(SessionId())});
    batches.push_back(
        {SettleAsk{asks[0]->id, make.settlement(Outcome::answered), asks[0]},
         SettleAsk{asks[0]->id, make.settlement(Outcome::dismissed, "bob")},
         ChangeSession{.session = one->id, .at = make.tick(), .activity = Activity::working}});
    batches.push_back({OpenAsk{big}, message});
    batches.push_back({TakeMessages{one->id, make.tick(), message.message.id},
                       DropToken{"t", make.tick()},
                       SettleAsk{big->id, make.settlement(Outcome::timed_out)}});
    std::vector<Change> many;
    for (int i = 0; i < 12; ++i) many.emplace_back(OpenAsk{make.ask(two->id)});
    batches.push_back(std::move(many));
    batches.push_back({make.end(two->id, "over")});
    return batches;
}

void expect_same_lists(SqliteEngine& engine, const StoreModel& model) {
    const auto sessions = model.sessions();
    EXPECT_EQ(describe_lists(sessions, [&](const auto& query) { return *engine.list_asks(query); }),
              describe_lists(sessions, [&](const auto& query) { return model.asks(query); }));
}

class FaultRun {
public:
    struct Plan {
        Failure failure;
        std::uint64_t nth = 1;
        Lasts lasts = Lasts::once;
        Return how = Return::same_engine;
        std::size_t log_bytes_max = limits::kSqliteLogBytesMax;
        std::size_t cache_bytes = limits::kSqliteCacheBytes;
    };

    explicit FaultRun(Plan plan) : plan_(plan), disk_(plan.nth) { make_engine(); }

    // True if the fault was met.
    bool play(const std::vector<std::vector<Change>>& batches) {
        disk_.inject(plan_.failure, plan_.nth, plan_.lasts);
        open_from_scratch();
        for (const auto& batch : batches) {
            commit(batch);
            if (testing::Test::HasFailure()) return false;
        }
        was_hit_ = was_hit_ || disk_.was_hit();
        disk_.clear_failure();
        engine_->close();
        expect_state(reopen_or_fail());
        const auto page = engine_->list_events({.after = model_.snapshot().oldest});
        EXPECT_EQ(describe(page->events, Detail::left_out),
                  describe(model_.events(), Detail::left_out));
        return was_hit_;
    }

private:
    void make_engine() {
        engine_ = std::make_unique<SqliteEngine>(SqliteOptions{.path = kPath,
                                                               .vfs = disk_.name(),
                                                               .events_filed_at_once = 5,
                                                               .log_bytes_max = plan_.log_bytes_max,
                                                               .cache_bytes = plan_.cache_bytes},
                                                 clock_);
    }

    void open_from_scratch() {
        const auto opened = engine_->open();
        if (opened) return;
        expect_clear(opened.error());
        come_back();
    }

    void expect_clear(const Error& error) {
        EXPECT_TRUE(disk_.was_hit()) << error.message;
        EXPECT_EQ(error.code, ErrorCode::unavailable) << error.message;
        EXPECT_NE(error.message.find(kPath), std::string::npos) << error.message;
        EXPECT_NE(error.message.find("To fix it: "), std::string::npos) << error.message;
    }

    Snapshot reopen_or_fail() {
        auto snapshot = engine_->open();
        if (snapshot) return std::move(*snapshot);
        ADD_FAILURE() << snapshot.error().message;
        return {};
    }

    Snapshot come_back() {
        was_hit_ = true;
        if (plan_.how == Return::same_engine) {
            engine_->close();
            if (plan_.lasts == Lasts::until_cleared) {
                if (const auto early = engine_->open(); !early) expect_clear(early.error());
                engine_->close();
            }
            disk_.clear_failure();
            return reopen_or_fail();
        }
        plan_.how == Return::new_process ? disk_.kill() : disk_.crash(plan_.nth);
        disk_.clear_failure();
        make_engine();
        return reopen_or_fail();
    }

    void commit(const std::vector<Change>& batch) {
        const auto report = engine_->commit(batch);
        if (report) {
            EXPECT_EQ(describe(report->outcomes), describe(model_.commit(batch)));
            return;
        }
        expect_clear(report.error());
        StoreModel without = model_;
        model_.commit(batch);
        const std::string found = describe(come_back());
        const bool was_stored = found == describe(model_.snapshot());
        if (!was_stored) EXPECT_EQ(found, describe(without.snapshot()));
        // A process that is gone offers nothing again; what it did not store never happened.
        if (plan_.how != Return::same_engine) {
            if (!was_stored) model_ = without;
            if (!was_stored) commit(batch);
            return;
        }
        const auto again = engine_->commit(batch);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->events.empty(), was_stored);
    }

    void expect_state(const Snapshot& snapshot) {
        EXPECT_EQ(describe(snapshot), describe(model_.snapshot()));
        expect_same_lists(*engine_, model_);
    }

    Plan plan_;
    CrashVfs disk_;
    StillClock clock_;
    StoreModel model_{first_cursor(clock_.wall())};
    std::unique_ptr<SqliteEngine> engine_;
    bool was_hit_ = false;
};

struct Case {
    const char* name;
    Failure failure;
};

class SqliteFault : public testing::TestWithParam<Case> {
protected:
    // Every operation of the script in turn, or every n-th, until there is none left to hit.
    void at_every_operation(FaultRun::Plan plan, std::uint64_t stride = 1) {
        const auto batches = script();
        for (plan.nth = 1; !HasFailure(); plan.nth += stride) {
            SCOPED_TRACE(fmt::format("operation {}", plan.nth));
            if (!FaultRun(plan).play(batches)) break;
        }
        EXPECT_GT(plan.nth, 10U) << "the fault was hardly ever met";
    }
};

TEST_P(SqliteFault, AFaultIsAnErrorAndTheSameEngineComesBack) {
    at_every_operation({.failure = GetParam().failure});
}

TEST_P(SqliteFault, AFaultThatLastsIsAnErrorUntilItIsGone) {
    at_every_operation({.failure = GetParam().failure, .lasts = Lasts::until_cleared}, 3);
}

TEST_P(SqliteFault, AFaultThenTheEndOfTheProcessLosesNothingAcknowledged) {
    at_every_operation({.failure = GetParam().failure, .how = Return::new_process}, 3);
}

TEST_P(SqliteFault, AFaultThenAPowerLossLosesNothingAcknowledged) {
    at_every_operation({.failure = GetParam().failure, .how = Return::after_power_loss}, 2);
}

TEST_P(SqliteFault, AFaultAmidCheckpointsLosesNothingAcknowledged) {
    at_every_operation({.failure = GetParam().failure,
                        .how = Return::after_power_loss,
                        .log_bytes_max = 8 * limits::kKiB},
                       2);
}

TEST_P(SqliteFault, AFaultAmidATransactionThatSpillsLosesNothingAcknowledged) {
    at_every_operation({.failure = GetParam().failure,
                        .how = Return::after_power_loss,
                        .cache_bytes = kCacheBytes},
                       5);
}

INSTANTIATE_TEST_SUITE_P(Faults, SqliteFault,
                         testing::Values(Case{"DiskFull", Failure::disk_full},
                                         Case{"IoError", Failure::io_error},
                                         Case{"LostSync", Failure::lost_sync},
                                         Case{"ReadOnly", Failure::read_only},
                                         Case{"PowerLoss", Failure::power_loss}),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace

// Acknowledged before the power went: there afterwards, whatever the disk had not synced.
TEST(SqliteCrash, RandomHistoriesSurviveAPowerLossAtAnyMoment) {
    constexpr std::uint64_t kSeeds = 300;
    for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        CrashVfs disk(seed);
        const StillClock clock;
        const SqliteOptions options{.path = kPath,
                                    .vfs = disk.name(),
                                    .events_filed_at_once = 1 + seed % 9,
                                    .log_bytes_idle = 1,
                                    .log_bytes_max = (1 + seed % 20) * 4096,
                                    .cache_bytes = (seed % 4) * kCacheBytes};
        StoreModel model(first_cursor(clock.wall()));
        TestValues make(seed);
        RandomChanges random(make);
        for (int life = 0; life < 4; ++life) {
            auto engine = std::make_unique<SqliteEngine>(options, clock);
            const auto snapshot = engine->open();
            ASSERT_TRUE(snapshot) << snapshot.error().message;
            ASSERT_EQ(describe(*snapshot), describe(model.snapshot()));
            expect_same_lists(*engine, model);
            disk.inject(Failure::power_loss, 1 + make.random() % 150);
            for (;;) {
                const std::vector<Change> changes = random.batch(8);
                const auto report = engine->commit(changes);
                if (report) {
                    model.commit(changes);
                    if (make.random() % 6 == 0) (void)engine->tidy_up();
                    continue;
                }
                StoreModel with = model;
                with.commit(changes);
                disk.crash(seed);
                SqliteEngine witness(options, clock);
                const auto found = witness.open();
                ASSERT_TRUE(found) << found.error().message;
                if (describe(*found) == describe(with.snapshot())) model = with;
                break;
            }
        }
    }
}

// Without the checkpoint in open(), a commit that only the cache remembers would be built upon, and
// the next power loss would take what was acknowledged after it.
TEST(SqliteCrash, WhatOpenReturnsSurvivesAPowerLossAtOnce) {
    for (std::uint64_t nth = 1; nth < 40; ++nth) {
        SCOPED_TRACE(nth);
        CrashVfs disk(nth);
        const StillClock clock;
        const SqliteOptions options{.path = kPath, .vfs = disk.name()};
        auto engine = std::make_unique<SqliteEngine>(options, clock);
        ASSERT_TRUE(engine->open());
        TestValues make;
        disk.inject(Failure::io_error, nth, Lasts::until_cleared);
        for (int i = 0; i < 5; ++i)
            (void)engine->commit(std::vector<Change>{OpenSession{make.session()}});
        disk.kill();
        disk.clear_failure();
        engine = std::make_unique<SqliteEngine>(options, clock);
        const auto before = engine->open();
        ASSERT_TRUE(before) << before.error().message;
        disk.crash(nth);
        engine = std::make_unique<SqliteEngine>(options, clock);
        const auto after = engine->open();
        ASSERT_TRUE(after) << after.error().message;
        EXPECT_EQ(describe(*after), describe(*before));
    }
}

TEST(SqliteCrash, ACommitIsWrittenToTheLogInOnePiece) {
    CrashVfs disk;
    const StillClock clock;
    TestValues make;
    SqliteEngine engine({.path = kPath, .vfs = disk.name()}, clock);
    ASSERT_TRUE(engine.open());
    const SessionPtr session = make.session();
    const Change first = OpenSession{session};  // begins the log as well
    ASSERT_TRUE(engine.commit({&first, 1}));
    std::vector<Change> several_pages;
    for (int i = 0; i < 20; ++i) several_pages.emplace_back(OpenAsk{make.ask(session->id)});
    disk.inject(Failure::disk_full, 2);
    EXPECT_TRUE(engine.commit(several_pages));
    EXPECT_FALSE(disk.was_hit());
    const Change next = OpenAsk{make.ask(session->id)};
    EXPECT_FALSE(engine.commit({&next, 1}));
    EXPECT_TRUE(disk.was_hit());
}

TEST(SqliteCrash, AFailedReadIsAnErrorAndTheNextOneSucceeds) {
    CrashVfs disk;
    const StillClock clock;
    SqliteEngine engine({.path = kPath, .vfs = disk.name()}, clock);
    ASSERT_TRUE(engine.open());
    for (const auto& batch : script()) ASSERT_TRUE(engine.commit(batch));
    engine.close();
    ASSERT_TRUE(engine.open());
    disk.inject(Failure::read_error, 1);
    const auto failed = engine.list_asks({.limit = 1000});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::unavailable);
    const auto page = engine.list_asks({.limit = 1000});
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->asks.size(), 17U);
}

}  // namespace parley
