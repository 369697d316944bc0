// SPDX-License-Identifier: Apache-2.0
// What a network and other nodes do to a commit: its answer is lost, or is not read; others write
// the same thing at the same moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/limits.h"
#include "store/postgres/postgres_engine.h"
#include "store/postgres/postgres_test_cluster.h"
#include "store/postgres/postgres_test_relay.h"
#include "store/test_values.h"

namespace parley {
namespace {

class PostgresDoubt : public testing::Test {
protected:
    static CommitReport commit(Engine& engine, const std::vector<Change>& changes) {
        auto report = engine.commit(changes);
        EXPECT_TRUE(report) << report.error().message;
        return report ? std::move(*report) : CommitReport();
    }
    // A new connection prepares its statements anew, which is what the relay sees.
    static void open_anew(Engine& engine) {
        engine.close();
        const auto snapshot = engine.open();
        ASSERT_TRUE(snapshot) << snapshot.error().message;
    }
    std::unique_ptr<postgres::Connection> administrator() const {
        auto connection = postgres::Connection::open(url_);
        EXPECT_TRUE(connection) << connection.error().message;
        return std::move(*connection);
    }
    std::string database() const { return PostgresCluster::database_of(url_); }
    std::size_t count_events(Engine& engine) {
        const auto page = engine.list_events({.after = start_, .limit = 1000});
        EXPECT_TRUE(page) << page.error().message;
        return page ? page->events.size() : 0;
    }

    StillClock clock_;
    TestValues make_;
    PostgresCluster& cluster_ = PostgresCluster::shared();
    std::string url_ = cluster_.make_database();
    Cursor start_ = first_cursor(clock_.wall());
};

TEST_F(PostgresDoubt, AGroupWhoseAnswerWasLostIsStoredOnce) {
    PostgresRelay relay(url_);
    PostgresEngine engine({.url = relay.url()}, clock_);
    open_anew(engine);
    const SessionPtr session = make_.session();
    const PutMark mark{.key = "seat/a", .at = make_.tick(), .value = "one"};
    commit(engine, {OpenSession{session}, mark});
    open_anew(engine);
    const std::vector<Change> changes = {
        make_.part(session->id), make_.notice(session->id), OpenAsk{make_.ask(session->id)},
        PutMark{.key = mark.key, .at = make_.tick(), .expected = mark.value}};
    relay.lose_next_commit();
    EXPECT_FALSE(engine.commit(changes));
    open_anew(engine);
    const CommitReport again = commit(engine, changes);
    for (const ChangeOutcome& outcome : again.outcomes)
        EXPECT_EQ(outcome.verdict, Verdict::existing);
    EXPECT_EQ(count_events(engine), 6U);
}

// However much others wrote since, and also if the events themselves were dropped by then.
TEST_F(PostgresDoubt, ADoubtIsResolvedHoweverFarTheOthersHaveGot) {
    for (const char* sql :
         {"UPDATE parley.state SET head = head + 60000",
          "WITH d AS (DELETE FROM parley.events) UPDATE parley.state SET oldest = head"}) {
        PostgresRelay relay(url_);
        PostgresEngine engine({.url = relay.url()}, clock_);
        open_anew(engine);
        const SessionPtr session = make_.session();
        commit(engine, {OpenSession{session}});
        open_anew(engine);
        const std::vector<Change> changes = {make_.part(session->id), make_.notice(session->id)};
        relay.lose_next_commit();
        EXPECT_FALSE(engine.commit(changes));
        cluster_.run_sql(sql, database());
        open_anew(engine);
        const CommitReport again = commit(engine, changes);
        ASSERT_EQ(again.outcomes.size(), 2U);
        EXPECT_EQ(again.outcomes[0].verdict, Verdict::existing) << sql;
        EXPECT_EQ(again.outcomes[1].verdict, Verdict::existing) << sql;
    }
}

// What it cannot tell now it may tell later; taken for "never written", it would be written twice.
TEST_F(PostgresDoubt, ADoubtThatTheServerDoesNotResolveStays) {
    PostgresRelay relay(url_);
    PostgresEngine engine({.url = relay.url()}, clock_);
    open_anew(engine);
    const SessionPtr session = make_.session();
    commit(engine, {OpenSession{session}});
    open_anew(engine);
    const std::vector<Change> changes = {make_.notice(session->id)};
    relay.lose_next_commit();
    EXPECT_FALSE(engine.commit(changes));
    cluster_.run_sql("ALTER FUNCTION pg_xact_status(xid8) RENAME TO away", database());
    engine.close();
    EXPECT_FALSE(engine.open());
    cluster_.run_sql("ALTER FUNCTION away(xid8) RENAME TO pg_xact_status", database());
    open_anew(engine);
    EXPECT_EQ(commit(engine, changes).outcomes.at(0).verdict, Verdict::existing);
}

// Events go while a node has not heard of them yet; it commits before it polls.
TEST_F(PostgresDoubt, ACommitThatMissesWhatOthersWroteSaysSo) {
    PostgresEngine engine({.url = url_}, clock_);
    PostgresEngine other({.url = url_}, clock_);
    open_anew(engine);
    open_anew(other);
    const SessionPtr session = make_.session();
    commit(other, {OpenSession{session}, make_.notice(session->id), make_.notice(session->id)});
    cluster_.run_sql(
        "WITH d AS (DELETE FROM parley.events WHERE cursor < (SELECT head FROM "
        "parley.state)) UPDATE parley.state SET oldest = head - 1",
        database());
    const std::vector<Change> changes = {make_.notice(session->id)};
    const auto report = engine.commit(changes);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::unavailable);
    open_anew(engine);
    EXPECT_EQ(commit(engine, changes).outcomes.at(0).verdict, Verdict::existing);
}

// It comes after all, once nobody waits for it any more.
TEST_F(PostgresDoubt, AnAnswerThatCameTooLateIsNotTakenForTheNext) {
    PostgresRelay relay(url_);
    auto opened = postgres::Connection::open(relay.url(), Millis(1000));
    ASSERT_TRUE(opened) << opened.error().message;
    postgres::Connection& connection = **opened;
    relay.hold_next_commit();
    const auto late = connection.run_once("SELECT 'COMMIT'");
    ASSERT_FALSE(late);
    EXPECT_FALSE(connection.is_refused());
    relay.deliver();
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(connection.run_once("SELECT 'another'"));
    postgres::Statement statement("SELECT 'another'");
    EXPECT_FALSE(connection.run(statement));
}

// Its server sends what others wrote until nobody reads it any more; nothing may be locked then.
TEST_F(PostgresDoubt, ANodeThatDoesNotReadHoldsNobodyUp) {
    PostgresRelay relay(url_);
    PostgresEngine stopped({.url = relay.url()}, clock_);
    PostgresEngine other({.url = url_}, clock_);
    open_anew(stopped);
    open_anew(other);
    const SessionPtr session = make_.session();
    commit(other, {OpenSession{session}});
    for (int i = 0; i < 64; ++i)
        commit(other, {make_.part(session->id, std::string(200'000, 'x'))});
    relay.hold_next_commit();
    CommitReport late;
    std::thread node([&] { late = commit(stopped, {OpenSession{make_.session()}}); });
    while (!relay.is_holding()) std::this_thread::yield();
    // Waits for the stopped one's commit, and for no more than that.
    const CommitReport report = commit(other, {make_.notice(session->id)});
    EXPECT_EQ(report.outcomes.at(0).verdict, Verdict::applied);
    relay.deliver();
    node.join();
    EXPECT_GE(late.events.size(), 66U);
}

TEST_F(PostgresDoubt, TwoDevicesOnTwoNodesDoNotWriteOverEachOthersDraft) {
    PostgresEngine one({.url = url_}, clock_);
    PostgresEngine two({.url = url_}, clock_);
    open_anew(one);
    open_anew(two);
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    commit(one, {OpenSession{session}, OpenAsk{ask}});
    const auto write = [&](Engine& engine, const std::string& device, std::uint64_t& applied) {
        TestValues make(device.size());
        std::uint64_t seen = 0;
        for (int i = 0; i < 60; ++i) {
            PutDraft draft = make.draft(ask->id, device + std::to_string(i));
            draft.draft.seen = seen;
            const ChangeOutcome outcome = commit(engine, {draft}).outcomes.at(0);
            applied += outcome.verdict == Verdict::applied ? 1 : 0;
            seen = outcome.draft->version;
        }
    };
    std::uint64_t applied_one = 0;
    std::uint64_t applied_two = 0;
    std::thread other([&] { write(two, "a phone", applied_two); });
    write(one, "a desk", applied_one);
    other.join();
    PostgresEngine third({.url = url_}, clock_);
    const auto snapshot = third.open();
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(snapshot->drafts.size(), 1U);
    EXPECT_EQ(snapshot->drafts[0].draft->version, applied_one + applied_two);
}

TEST_F(PostgresDoubt, ANameThatIsOpenedAndEndedAtOnceIsAlwaysSomeSessions) {
    PostgresEngine one({.url = url_}, clock_);
    PostgresEngine two({.url = url_}, clock_);
    open_anew(one);
    open_anew(two);
    const auto work = [&](Engine& engine, std::uint64_t seed) {
        TestValues make(seed);
        for (int i = 0; i < 100; ++i) {
            const ChangeOutcome opened =
                commit(engine, {OpenSession{make.session("same")}}).outcomes.at(0);
            ASSERT_TRUE(opened.session);
            commit(engine, {make.end(opened.session->id)});
        }
    };
    std::thread other([&] { work(two, 2); });
    work(one, 1);
    other.join();
}

// A table is locked, a read waits for it until it is cancelled, and later goes well.
TEST_F(PostgresDoubt, AReadThatWasCancelledDoesNotSpoilTheNext) {
    PostgresEngine engine({.url = url_}, clock_);
    open_anew(engine);
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    commit(engine, {OpenSession{session}, OpenAsk{ask}});
    open_anew(engine);
    const auto holder = administrator();
    ASSERT_TRUE(holder->run_once("BEGIN"));
    ASSERT_TRUE(holder->run_once("LOCK TABLE asks IN ACCESS EXCLUSIVE MODE"));
    std::thread reader([&] { EXPECT_FALSE(engine.find_ask(ask->id)); });
    const auto canceller = administrator();
    for (int cancelled = 0; cancelled == 0;) {
        auto rows = canceller->run_once(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
            "AND datname = current_database()");
        ASSERT_TRUE(rows);
        cancelled = rows->count();
    }
    reader.join();
    ASSERT_TRUE(holder->run_once("ROLLBACK"));
    const auto found = engine.find_ask(ask->id);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->id, ask->id);
}

}  // namespace
}  // namespace parley
