// SPDX-License-Identifier: Apache-2.0
// Several engines over one database, as several nodes have them: who is first, in which order, and
// that each hears of the other. What one engine does alone, the conformance suite tries.
#include "store/postgres/postgres_engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "store/engine_url.h"
#include "store/postgres/postgres_test_cluster.h"
#include "store/postgres/postgres_test_relay.h"
#include "store/postgres/writer_statements.h"
#include "store/test_values.h"

namespace parley {
namespace {

using testing::HasSubstr;
using testing::Not;

class PostgresNodes : public testing::Test {
protected:
    PostgresNodes() {
        EXPECT_TRUE(one_.open());
        EXPECT_TRUE(two_.open());
    }
    ~PostgresNodes() override {
        one_.close();
        two_.close();
    }
    static CommitReport commit(Engine& engine, const std::vector<Change>& changes) {
        auto report = engine.commit(changes);
        EXPECT_TRUE(report) << report.error().message;
        return report ? std::move(*report) : CommitReport();
    }
    static std::vector<EventPtr> poll(Engine& engine) {
        std::vector<EventPtr> events;
        for (bool has_more = true; has_more;) {
            auto slice = engine.poll_feed();
            EXPECT_TRUE(slice) << slice.error().message;
            if (!slice) break;
            has_more = slice->has_more;
            std::ranges::move(slice->events, std::back_inserter(events));
        }
        return events;
    }

    void run_sql(const std::string& sql) const {
        PostgresCluster::shared().run_sql(sql, PostgresCluster::database_of(url_));
    }

    StillClock clock_;
    std::string url_ = PostgresCluster::shared().make_database();
    PostgresEngine one_{{.url = url_}, clock_};
    PostgresEngine two_{{.url = url_}, clock_};
    TestValues make_;
};

TEST_F(PostgresNodes, WhatOneWritesTheOtherPollsOnceAndInOrder) {
    const SessionPtr session = make_.session("build");
    const AskPtr ask = make_.ask(session->id);
    const CommitReport written = commit(one_, {OpenSession{session}, OpenAsk{ask}});
    EXPECT_EQ(describe(poll(two_)), describe(written.events));
    EXPECT_TRUE(poll(two_).empty());
    EXPECT_TRUE(poll(one_).empty()) << "what it wrote itself was reported";
}

TEST_F(PostgresNodes, ACommitReportsWhatOthersWroteBeforeIt) {
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    commit(one_, {OpenSession{session}, OpenAsk{ask}});
    const CommitReport report =
        commit(two_, {SettleAsk{ask->id, make_.settlement(Outcome::answered), ask}});
    ASSERT_EQ(report.events.size(), 3U);
    EXPECT_EQ(report.outcomes.at(0).verdict, Verdict::applied);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_EQ(report.events[i]->cursor.value, report.events[i - 1]->cursor.value + 1);
    // A refusal brings what it rests on.
    const CommitReport late =
        commit(one_, {SettleAsk{ask->id, make_.settlement(Outcome::dismissed, "bob"), ask}});
    EXPECT_EQ(late.outcomes.at(0).verdict, Verdict::conflict);
    ASSERT_EQ(late.events.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<AskSettled>(late.events[0]->body));
}

TEST_F(PostgresNodes, WhatAnAskOfAnotherSaysIsReadOnce) {
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    commit(one_, {OpenSession{session}, OpenAsk{ask}});
    const std::vector<EventPtr> before = poll(two_);
    ASSERT_EQ(before.size(), 2U);
    const SharedSpec spec = std::get<AskOpened>(before[1]->body).ask->spec;
    EXPECT_EQ(*spec, *ask->spec);
    commit(one_, {SettleAsk{ask->id, make_.settlement(Outcome::answered), ask}});
    const std::vector<EventPtr> after = poll(two_);
    ASSERT_EQ(after.size(), 1U);
    EXPECT_TRUE(std::get<AskSettled>(after[0]->body).ask->spec == spec) << "read again";
}

TEST_F(PostgresNodes, ANotificationTellsOfWhatOthersWroteAndNotOfItsOwn) {
    std::mutex mutex;
    std::condition_variable heard;
    int news = 0;
    PostgresEngine third({.url = url_}, clock_);
    ASSERT_TRUE(third.watch_feed([&] {
        const std::lock_guard lock(mutex);
        ++news;
        heard.notify_all();
    }));
    ASSERT_TRUE(third.open());
    const auto wait_for = [&](int count) {
        std::unique_lock lock(mutex);
        heard.wait(lock, [&] { return news >= count; });
    };
    commit(third, {OpenSession{make_.session()}});
    EXPECT_FALSE(third.has_news());
    commit(one_, {OpenSession{make_.session()}});
    wait_for(1);
    EXPECT_TRUE(third.has_news());
    EXPECT_EQ(poll(third).size(), 1U);
    EXPECT_FALSE(third.has_news());
    // A commit tells what was heard of before it, and then that is no news.
    commit(one_, {OpenSession{make_.session()}});
    wait_for(2);
    EXPECT_EQ(commit(third, {OpenSession{make_.session()}}).events.size(), 2U);
    EXPECT_FALSE(third.has_news());
}

// Both settle the same asks and open asks under the same keys, each in its own order, in groups.
TEST_F(PostgresNodes, TwoThatRaceSettleOnceAndLeaveNoGap) {
    constexpr int kRounds = 40;
    constexpr int kAsks = 8;
    const SessionPtr session = make_.session();
    const Cursor start = commit(one_, {OpenSession{session}}).events.back()->cursor;
    poll(two_);
    std::vector<std::vector<AskPtr>> asks(kRounds);
    for (auto& round : asks)
        for (int i = 0; i < kAsks; ++i) round.push_back(make_.ask(session->id));
    const auto work = [&](Engine& engine, std::uint64_t seed, std::vector<EventPtr>& told,
                          std::map<AskId, int>& won) {
        TestValues make(seed);
        for (auto round : asks) {
            if (seed % 2 == 0) std::ranges::reverse(round);
            std::vector<Change> opens;
            std::vector<Change> settles;
            for (const AskPtr& ask : round) {
                opens.emplace_back(OpenAsk{ask});
                settles.emplace_back(SettleAsk{
                    ask->id, make.settlement(Outcome::answered, seed % 2 == 0 ? "ada" : "bob"),
                    ask});
            }
            for (const auto& changes : {opens, settles}) {
                const CommitReport report = commit(engine, changes);
                told.insert(told.end(), report.events.begin(), report.events.end());
                for (std::size_t i = 0; i < report.outcomes.size() && &changes != &opens; ++i)
                    if (std::holds_alternative<SettleAsk>(changes[i]) &&
                        report.outcomes[i].verdict == Verdict::applied)
                        ++won[round[i]->id];
            }
        }
    };
    std::vector<EventPtr> told_one;
    std::vector<EventPtr> told_two;
    std::map<AskId, int> won_one;
    std::map<AskId, int> won_two;
    std::thread other([&] { work(two_, 2, told_two, won_two); });
    work(one_, 1, told_one, won_one);
    other.join();
    for (const EventPtr& event : poll(one_)) told_one.push_back(event);
    for (const EventPtr& event : poll(two_)) told_two.push_back(event);
    EXPECT_EQ(told_one.size(), 2U * kRounds * kAsks);
    EXPECT_EQ(describe(told_one), describe(told_two));
    for (std::size_t i = 0; i < told_one.size(); ++i)
        ASSERT_EQ(told_one[i]->cursor.value, start.value + i + 1);
    for (const auto& round : asks)
        for (const AskPtr& ask : round) EXPECT_EQ(won_one[ask->id] + won_two[ask->id], 1);
}

// Who takes messages up to one takes those before it: none may come there later.
TEST_F(PostgresNodes, AMessageComesAfterAllThatTheOthersAdded) {
    const SessionPtr session = make_.session();
    const AddMessage low = make_.message(session->id, "from the node whose clock is behind");
    const AddMessage high = make_.message(session->id, "from the other");
    commit(one_, {OpenSession{session}, high});
    EXPECT_EQ(commit(two_, {low}).outcomes.at(0).verdict, Verdict::conflict);
    EXPECT_EQ(commit(two_, {high}).outcomes.at(0).verdict, Verdict::existing);
    commit(one_, {TakeMessages{session->id, clock_.wall(), high.message.id}});
    EXPECT_EQ(commit(two_, {low}).outcomes.at(0).verdict, Verdict::conflict);
    const AddMessage next = make_.message(session->id, "the same, with a new id");
    EXPECT_EQ(commit(two_, {next}).outcomes.at(0).verdict, Verdict::applied);
    PostgresEngine third({.url = url_}, clock_);
    EXPECT_EQ(third.open()->messages.size(), 1U);
}

// A node's own clock stands still, long ago.
TEST_F(PostgresNodes, ANodeTellsTheTimeOfTheDatabase) {
    SharedClock shared(clock_);
    PostgresEngine third({.url = url_, .shared_clock = &shared}, clock_);
    const auto snapshot = third.open();
    ASSERT_TRUE(snapshot);
    EXPECT_TRUE(snapshot->is_shared);
    const Millis apart = std::chrono::abs(SystemClock().wall() - shared.wall());
    EXPECT_LT(apart, std::chrono::hours(1));
    // What differs by a little stays as it is, or ids and deadlines would tremble with the network.
    const Millis ahead = shared.ahead() + Millis(100);
    shared.set_ahead(ahead);
    ASSERT_TRUE(third.check());
    EXPECT_EQ(shared.ahead(), ahead);
}

// Measured by it, the server's first answers take as long as they may not.
class SlowClock final : public Clock {
public:
    explicit SlowClock(int slow_answers) : slow_looks_(2 * slow_answers) {}
    Instant wall() const override { return SystemClock().wall() + std::chrono::hours(1); }
    Mono mono() const override {
        if (slow_looks_ == 0) return now_;
        --slow_looks_;
        if (slow_looks_ % 2 == 0) now_ += 2 * limits::kPostgresClockWayMax + Millis(2);
        return now_;
    }

private:
    mutable int slow_looks_;
    mutable Mono now_ = {};
};

TEST_F(PostgresNodes, ANodeThatOpensAsksAgainWhereTheTimeCameTooLate) {
    const SlowClock own(limits::kPostgresClockTries - 1);
    SharedClock shared(own);
    PostgresEngine third({.url = url_, .shared_clock = &shared}, clock_);
    const auto snapshot = third.open();
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    EXPECT_LT(std::chrono::abs(SystemClock().wall() - shared.wall()), std::chrono::minutes(1));
}

TEST_F(PostgresNodes, ANodeThatCannotLearnTheTimeDoesNotOpen) {
    const SlowClock own(limits::kPostgresClockTries);
    SharedClock shared(own);
    PostgresEngine third({.url = url_, .shared_clock = &shared}, clock_);
    const auto snapshot = third.open();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, ErrorCode::unavailable);
    EXPECT_THAT(snapshot.error().message, HasSubstr("too slowly to learn its time"));
    EXPECT_TRUE(third.open()) << "answers in time by now";
}

// However much it is, one look holds a bounded part of it; a commit brings the rest by itself.
TEST_F(PostgresNodes, WhatOthersWroteIsReadInSlices) {
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}});
    const auto write = [&](std::size_t count) {
        std::vector<Change> notices;
        for (std::size_t i = 0; i < count; ++i) notices.emplace_back(make_.notice(session->id));
        return commit(one_, notices).events;
    };
    poll(two_);
    const std::vector<EventPtr> written = write(limits::kFeedAtOnce + 1);
    const auto slice = two_.poll_feed();
    ASSERT_TRUE(slice);
    EXPECT_EQ(slice->events.size(), limits::kFeedAtOnce);
    EXPECT_TRUE(slice->has_more);
    EXPECT_EQ(describe(poll(two_)), describe({written.back()}));
    const std::vector<EventPtr> more = write(3 * limits::kFeedAtOnce);
    const CommitReport report = commit(two_, {make_.notice(session->id)});
    EXPECT_EQ(report.of_others, more.size());
    EXPECT_EQ(report.events.size(), more.size() + 1);
    EXPECT_TRUE(poll(two_).empty());
}

TEST_F(PostgresNodes, AsMuchAsANodeWouldHoldAtOnceIsTooFarBehind) {
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}});
    constexpr std::size_t kPart = limits::kMiB;
    for (std::size_t i = 0; i < limits::kFeedBehindBytes / kPart + limits::kFeedAtOnce; ++i)
        commit(one_, {make_.part(session->id, std::string(kPart, 'x'))});
    const auto report = two_.commit(std::vector<Change>{make_.notice(session->id)});
    ASSERT_FALSE(report);
    EXPECT_THAT(report.error().message, HasSubstr("fallen too far behind"));
}

TEST_F(PostgresNodes, OneThatIsTooFarBehindReadsAllAnew) {
    run_sql("UPDATE parley.state SET head = head + 60000");
    const auto behind = one_.poll_feed();
    ASSERT_FALSE(behind);
    EXPECT_THAT(behind.error().message, HasSubstr("fallen too far behind"));
}

TEST_F(PostgresNodes, APruneThatIsRefusedTakesNothingElseDown) {
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}, make_.notice(session->id)});
    run_sql("ALTER TABLE parley.sessions RENAME TO away");
    const Retention before{.sessions = make_.tick()};
    while (one_.prune(before)) {
    }
    run_sql("ALTER TABLE parley.away RENAME TO sessions");
    commit(one_, {make_.notice(session->id)});
}

TEST_F(PostgresNodes, NodesThatStartTogetherMakeTheTablesOnce) {
    const std::string url = PostgresCluster::shared().make_database();
    std::vector<std::thread> nodes;
    std::mutex mutex;
    std::set<std::uint64_t> heads;
    for (int i = 0; i < 4; ++i) {
        nodes.emplace_back([&] {
            PostgresEngine engine({.url = url}, clock_);
            const auto snapshot = engine.open();
            const std::lock_guard lock(mutex);
            EXPECT_TRUE(snapshot) << snapshot.error().message;
            if (snapshot) heads.insert(snapshot->head.value);
        });
    }
    for (std::thread& node : nodes) node.join();
    EXPECT_EQ(heads.size(), 1U);
}

// A plan is kept until the server counts the rows again, and then nothing may have been pending.
TEST_F(PostgresNodes, AnAskIsSettledByItsIdHoweverManyAreThoughtToBePending) {
    auto connection = postgres::Connection::open(url_);
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->plan_by_keys());
    const auto run = [&](const std::string& sql) {
        auto rows = (*connection)->run_once(sql);
        EXPECT_TRUE(rows) << rows.error().message;
        std::string text;
        while (rows && rows->next()) text += fmt::format("{}\n", rows->text(0));
        return text;
    };
    run("PREPARE settle(uuid, smallint, bytea, bigint) AS " +
        fmt::format(postgres::kSettleAsk, "", "a.id", ""));
    const auto expect_by_id = [&] {
        const std::string plan = run("EXPLAIN EXECUTE settle(gen_random_uuid(), 1, '', 0)");
        EXPECT_THAT(plan, HasSubstr("Index Scan using asks_pkey")) << plan;
        EXPECT_THAT(plan, Not(HasSubstr("asks_state"))) << plan;
        EXPECT_THAT(plan, Not(HasSubstr("asks_pending_session"))) << plan;
    };
    expect_by_id();
    run("INSERT INTO asks(id, session, state, created_ms, spec) SELECT gen_random_uuid(), "
        "gen_random_uuid(), 1, 0, '{}' FROM generate_series(1, 5000)");
    run("ANALYZE asks");
    expect_by_id();
}

// Nor may the feed, and the lock of a group's asks, go through all there is.
TEST_F(PostgresNodes, WhatRunsOftenIsPlannedOnceAndByKeys) {
    auto connection = postgres::Connection::open(url_);
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->plan_by_keys());
    const auto plan_of = [&](const std::string& types, const std::string& sql,
                             const std::string& values) {
        EXPECT_TRUE((*connection)->run_once("DEALLOCATE ALL"));
        EXPECT_TRUE((*connection)->run_once(fmt::format("PREPARE s({}) AS {}", types, sql)));
        auto rows = (*connection)->run_once(fmt::format("EXPLAIN EXECUTE s({})", values));
        EXPECT_TRUE(rows) << rows.error().message;
        std::string text;
        while (rows && rows->next()) text += fmt::format("{}\n", rows->text(0));
        return text;
    };
    EXPECT_TRUE(
        (*connection)
            ->run_once(
                "INSERT INTO events SELECT n, 1, 0, gen_random_uuid(), gen_random_uuid() FROM "
                "generate_series(1, 20000) n"));
    EXPECT_TRUE((*connection)->run_once("ANALYZE events"));
    for (const auto* setting : {"parallel_setup_cost", "parallel_tuple_cost",
                                "min_parallel_index_scan_size", "min_parallel_table_scan_size"})
        EXPECT_TRUE((*connection)->run_once(fmt::format("SET {} = 0", setting)));
    const std::string page =
        plan_of("bigint, bigint",
                "SELECT e.cursor, a.spec FROM events e LEFT JOIN asks a ON a.id = e.subject "
                "WHERE e.cursor > $1 ORDER BY e.cursor LIMIT $2",
                "1, 100");
    EXPECT_THAT(page, Not(HasSubstr("Gather"))) << page;
    const std::string locks =
        plan_of("uuid[]", fmt::format(postgres::kLockIds, "asks", "NO KEY UPDATE"), "'{}'::uuid[]");
    EXPECT_THAT(locks, Not(HasSubstr("Seq Scan"))) << locks;
    const std::string feed =
        plan_of("bigint", postgres::select_events("e.cursor > $1 ORDER BY e.cursor LIMIT 9"), "1");
    EXPECT_THAT(feed, HasSubstr("events_pkey")) << feed;
    EXPECT_THAT(feed, HasSubstr("asks_pkey")) << feed;
    EXPECT_THAT(feed, Not(HasSubstr("Seq Scan"))) << feed;
}

// Without a key, the server thinks, one should be planned anew each time.
TEST_F(PostgresNodes, AnAskIsPlannedOnce) {
    auto connection = postgres::Connection::open(url_);
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->plan_by_keys());
    postgres::WriterStatements sql;
    for (int i = 0; i < 10; ++i) {
        const AskPtr ask = make_.ask(make_.session()->id);
        ASSERT_TRUE((*connection)
                        ->run(sql.insert_ask, ask->id, ask->session, ask->created_at, ask->deadline,
                              std::optional<std::string_view>(), std::optional<std::string_view>(),
                              std::string_view("{}"), std::optional<std::string_view>()));
    }
    auto plans = (*connection)
                     ->run_once(
                         "SELECT sum(generic_plans)::int, sum(custom_plans)::int FROM "
                         "pg_prepared_statements");
    ASSERT_TRUE(plans && plans->next());
    EXPECT_GE(plans->number(0), 10);
    EXPECT_EQ(plans->number(1), 0);
}

// As many as are sent for at once, and one less and more: none is lost or waited for.
TEST_F(PostgresNodes, WhatFillsTheLastFetchesIsLoadedWhole) {
    constexpr std::size_t kFetch = limits::kPostgresRowsLoadedAtOnce;
    constexpr std::size_t kAll = kFetch * limits::kPostgresFetchesAtOnce;
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}});
    std::vector<AskId> asked;
    for (const std::size_t count :
         {kFetch - 1, kFetch, kFetch + 1, kAll - 1, kAll, kAll + 1, 2 * kAll}) {
        std::vector<Change> opens;
        for (std::size_t i = asked.size(); i < count; ++i) {
            const AskPtr ask = make_.ask(session->id);
            asked.push_back(ask->id);
            opens.emplace_back(OpenAsk{ask});
        }
        commit(one_, opens);
        PostgresEngine third({.url = url_}, clock_);
        const auto snapshot = third.open();
        ASSERT_TRUE(snapshot) << snapshot.error().message;
        std::vector<AskId> loaded;
        for (const AskPtr& ask : snapshot->pending) loaded.push_back(ask->id);
        EXPECT_EQ(loaded, asked);
    }
}

std::int64_t number_of(postgres::Connection& connection, const std::string& sql) {
    auto rows = connection.run_once(sql);
    EXPECT_TRUE(rows && rows->next()) << sql;
    return rows ? rows->number(0) : -1;
}

// A node lives for months, and what fails is prepared anew.
TEST_F(PostgresNodes, WhatFailsLeavesNoPreparedStatementsBehind) {
    auto opened = postgres::Connection::open(url_);
    ASSERT_TRUE(opened);
    postgres::Connection& connection = **opened;
    postgres::Statement sound("SELECT $1::bigint");
    postgres::Statement divides("SELECT 1 / $1::bigint");
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(connection.run(sound, i + 1));
        EXPECT_FALSE(connection.run(divides, 0));
    }
    EXPECT_TRUE(connection.run(sound, 1));
    EXPECT_EQ(number_of(connection, "SELECT count(*) FROM pg_prepared_statements"), 1);
    // Within a transaction that failed, they go with its end.
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(connection.run_once("BEGIN"));
        EXPECT_TRUE(connection.run(sound, i + 1));
        EXPECT_FALSE(connection.run(divides, 0));
        EXPECT_FALSE(connection.run(sound, 1));
        EXPECT_TRUE(connection.roll_back());
    }
    EXPECT_TRUE(connection.run(sound, 1));
    EXPECT_EQ(number_of(connection, "SELECT count(*) FROM pg_prepared_statements"), 1);
}

TEST_F(PostgresNodes, WhoAsksAboutAllThereIsGivenAsLongAsItTakes) {
    auto opened = postgres::Connection::open(url_);
    ASSERT_TRUE(opened);
    const auto setting = [&](std::string_view name) {
        return number_of(
            **opened, fmt::format("SELECT setting::int FROM pg_settings WHERE name = '{}'", name));
    };
    constexpr auto kUsual = Millis(limits::kPostgresStatementTimeout).count();
    EXPECT_EQ(setting("statement_timeout"), kUsual);
    EXPECT_EQ(setting("lock_timeout"), 0);
    EXPECT_GT(setting("idle_in_transaction_session_timeout"), 0);
    ASSERT_TRUE((*opened)->be_patient());
    EXPECT_EQ(setting("statement_timeout"), 0);
    EXPECT_EQ(setting("lock_timeout"), kUsual);
    EXPECT_EQ(setting("idle_in_transaction_session_timeout"), 0);
}

// The table shows its rows to those alone whom the server does not cut off.
TEST_F(PostgresNodes, WhatCouldBePrunedIsCountedForAsLongAsItTakes) {
    const SessionPtr session = make_.session();
    const AddMessage first = make_.message(session->id);
    const AddMessage second = make_.message(session->id);
    commit(one_, {OpenSession{session}, first, second,
                  TakeMessages{session->id, make_.tick(), second.message.id}});
    run_sql("ALTER TABLE parley.messages RENAME TO kept");
    run_sql(
        "CREATE VIEW parley.messages AS SELECT * FROM parley.kept WHERE "
        "current_setting('statement_timeout') = '0'");
    const auto counted = one_.count_prunable({.messages = make_.tick()});
    ASSERT_TRUE(counted) << counted.error().message;
    EXPECT_EQ(counted->messages, 1U);
}

// What a page leaves out for its length is not sent either.
TEST_F(PostgresNodes, NoMoreIsSentThanAPageHolds) {
    constexpr std::size_t kRows = 60;
    constexpr std::size_t kLong = 200 * limits::kKiB;
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}});
    std::vector<AskPtr> asks;
    for (std::size_t i = 0; i < kRows; ++i) {
        asks.push_back(make_.ask(session->id));
        auto settlement = *make_.settlement(Outcome::answered);
        settlement.answers[0].note = std::string(kLong, 'n');
        commit(one_,
               {OpenAsk{asks.back()},
                SettleAsk{asks.back()->id,
                          std::make_shared<const Settlement>(std::move(settlement)), asks.back()}});
    }
    const AskPtr drafted = make_.ask(session->id);
    commit(one_, {OpenAsk{drafted}});
    for (std::size_t i = 0; i < kRows; ++i)
        commit(one_, {make_.draft(drafted->id, std::string(kLong, 'd'), fmt::format("p{}", i))});

    PostgresRelay relay(url_);
    PostgresEngine reader({.url = relay.url()}, clock_);
    ASSERT_TRUE(reader.open());
    constexpr std::size_t kPage = 4 * kLong;
    const auto expect_short = [&](std::string_view what, auto read) {
        const std::uint64_t before = relay.sent_to_client();
        read();
        EXPECT_LT(relay.sent_to_client() - before, 2 * kPage) << what;
    };
    for (const auto order :
         {ListOrder::oldest_first, ListOrder::newest_first, ListOrder::last_settled_first})
        expect_short("asks", [&] {
            const auto page = reader.list_asks({.order = order, .bytes = kPage});
            ASSERT_TRUE(page) << page.error().message;
            EXPECT_GE(page->asks.size(), order == ListOrder::newest_first ? 4U : 3U);
            EXPECT_TRUE(page->has_more);
        });
    const Cursor start = first_cursor(clock_.wall());
    for (const auto order : {ListOrder::oldest_first, ListOrder::newest_first})
        expect_short("events", [&] {
            const auto page =
                reader.list_events({.after = order == ListOrder::oldest_first ? start : Cursor{},
                                    .limit = 1000,
                                    .order = order,
                                    .bytes = kPage});
            ASSERT_TRUE(page) << page.error().message;
            EXPECT_GE(page->events.size(), 2U);
            EXPECT_TRUE(page->has_more);
        });
}

// Its cause is what the node says from then on, until it is open again.
TEST_F(PostgresNodes, APruneWhoseConnectionIsLostIsNotForgotten) {
    const SessionPtr session = make_.session();
    commit(one_, {OpenSession{session}, make_.notice(session->id)});
    PostgresCluster::shared().run_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
        PostgresCluster::database_of(url_) + "'");
    const auto pruned = one_.prune({.sessions = make_.tick()});
    ASSERT_FALSE(pruned);
    EXPECT_EQ(pruned.error().code, ErrorCode::unavailable);
    const auto checked = one_.check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().message, pruned.error().message);
    EXPECT_THAT(checked.error().message, HasSubstr("says: terminating connection"));
    EXPECT_FALSE(one_.poll_feed());
    EXPECT_FALSE(one_.commit(std::vector<Change>{make_.notice(session->id)}));
    one_.close();
    ASSERT_TRUE(one_.open());
    commit(one_, {make_.notice(session->id)});
}

// After it nothing is refused that only looks.
TEST_F(PostgresNodes, AStoreThatCannotBeWrittenToIsReadAllTheSame) {
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    commit(one_, {OpenSession{session}, OpenAsk{ask}});
    run_sql(
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION "
        "USING ERRCODE = '53100', MESSAGE = 'No space left on device'; END$$");
    run_sql("CREATE TRIGGER full_disk BEFORE INSERT ON parley.events EXECUTE FUNCTION fill()");
    const auto tried = one_.try_writing();
    ASSERT_FALSE(tried);
    EXPECT_THAT(tried.error().message, HasSubstr("No space left"));
    const auto found = one_.find_ask(ask->id);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->id, ask->id);
    run_sql("DROP TRIGGER full_disk ON parley.events");
    EXPECT_TRUE(one_.try_writing());
    EXPECT_TRUE(poll(two_).size() == 2U) << "nothing is left of the trial";
    commit(one_, {make_.notice(session->id)});
}

TEST(PostgresUrl, APasswordIsNotShown) {
    EXPECT_EQ(shown_url("postgres://ada:secret@db/parley"), "postgres://ada:***@db/parley");
    EXPECT_EQ(shown_url("postgresql://ada@db:5433/parley?password=secret&sslmode=require"),
              "postgresql://ada@db:5433/parley?password=***&sslmode=require");
    EXPECT_EQ(shown_url("postgres://one:5432,two:5433/parley"),
              "postgres://one:5432,two:5433/parley");
    EXPECT_EQ(shown_url("sqlite:/a:b@c"), "sqlite:/a:b@c");
}

}  // namespace
}  // namespace parley
