// SPDX-License-Identifier: Apache-2.0
// A database that is away, or will not have us: nothing is acknowledged, and the fault is named
// with its remedy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/postgres/connection.h"
#include "store/postgres/postgres_engine.h"
#include "store/postgres/postgres_test_cluster.h"
#include "store/postgres/schema.h"
#include "store/test_values.h"

namespace parley {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string as_user(const std::string& url, const std::string& user) {
    return "postgres://" + user + url.substr(url.find('@'));
}

class PostgresAway : public testing::Test {
protected:
    std::string refusal(const std::string& url) {
        PostgresEngine engine({.url = url}, clock_);
        const auto snapshot = engine.open();
        EXPECT_FALSE(snapshot);
        return snapshot ? std::string() : snapshot.error().message;
    }

    StillClock clock_;
    TestValues make_;
    PostgresCluster& cluster_ = PostgresCluster::shared();
    std::string url_ = cluster_.make_database();
};

TEST_F(PostgresAway, WhatWasReportedIsThereAfterTheServerWasKilled) {
    PostgresCluster own;
    PostgresEngine engine({.url = own.make_database()}, clock_);
    ASSERT_TRUE(engine.open());
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    ASSERT_TRUE(engine.commit(std::vector<Change>{OpenSession{session}, OpenAsk{ask}}));
    own.stop();
    EXPECT_FALSE(engine.commit(std::vector<Change>{make_.notice(session->id)}));
    engine.close();
    const auto away = engine.open();
    ASSERT_FALSE(away);
    EXPECT_EQ(away.error().code, ErrorCode::unavailable);
    EXPECT_THAT(away.error().message, HasSubstr("start the server"));
    own.start();
    const auto back = engine.open();
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->pending.size(), 1U);
    EXPECT_EQ(back->pending[0]->id, ask->id);
}

// The server ends the connection, as it does when it shuts down; what was offered is offered again.
TEST_F(PostgresAway, APartThatIsOfferedAgainIsStoredOnce) {
    PostgresEngine engine({.url = url_}, clock_);
    ASSERT_TRUE(engine.open());
    const SessionPtr session = make_.session();
    ASSERT_TRUE(engine.commit(std::vector<Change>{OpenSession{session}}));
    const std::vector<Change> changes = {make_.part(session->id), make_.notice(session->id)};
    cluster_.run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                     PostgresCluster::database_of(url_) + "'");
    EXPECT_FALSE(engine.commit(changes));
    engine.close();
    ASSERT_TRUE(engine.open());
    const auto report = engine.commit(changes);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->events.size(), 2U);
}

TEST_F(PostgresAway, ANewerFormatIsRefusedByName) {
    PostgresEngine engine({.url = url_}, clock_);
    ASSERT_TRUE(engine.open());
    cluster_.run_sql("UPDATE parley.state SET format = 99", PostgresCluster::database_of(url_));
    EXPECT_THAT(refusal(url_), AllOf(HasSubstr("format 99"), HasSubstr("newer version")));
    // A node that runs finds out at its next commit, and leaves nothing half done.
    const auto report = engine.commit(std::vector<Change>{OpenSession{make_.session()}});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::unsupported);
    EXPECT_THAT(report.error().message, HasSubstr("format 99"));
    cluster_.run_sql(fmt::format("UPDATE parley.state SET format = {}", postgres::schema_version()),
                     PostgresCluster::database_of(url_));
    PostgresEngine other({.url = url_}, clock_);
    EXPECT_TRUE(other.open()->sessions.empty());
}

TEST_F(PostgresAway, AnOlderFormatIsBroughtUpToDate) {
    const SessionPtr session = make_.session();
    {
        PostgresEngine engine({.url = url_}, clock_);
        ASSERT_TRUE(engine.open());
        ASSERT_TRUE(engine.commit(std::vector<Change>{OpenSession{session}}));
    }
    for (const auto* sql : {"DROP TABLE parley.marks", "UPDATE parley.state SET format = 1"})
        cluster_.run_sql(sql, PostgresCluster::database_of(url_));
    PostgresEngine engine({.url = url_}, clock_);
    const auto opened = engine.open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->sessions.size(), 1U);
    ASSERT_TRUE(engine.commit(
        std::vector<Change>{PutMark{.key = "seat/a", .at = make_.tick(), .value = "b"}}));
    EXPECT_EQ(engine.poll_feed()->events.size(), 0U);
}

TEST_F(PostgresAway, RefusalsNameTheFaultAndTheRemedy) {
    EXPECT_THAT(refusal(as_user(url_, "nobody_here")),
                AllOf(HasSubstr("does not exist"), HasSubstr("name a user")));
    EXPECT_THAT(refusal(cluster_.url("no_such_database")),
                AllOf(HasSubstr("does not exist"), HasSubstr("createdb")));
    EXPECT_THAT(refusal("postgres://parley@/t?host=/nonexistent"), HasSubstr("start the server"));
    cluster_.run_sql("CREATE ROLE guest LOGIN");
    EXPECT_THAT(refusal(as_user(url_, "guest")),
                AllOf(HasSubstr("permission denied"), HasSubstr("owner")));
    cluster_.run_sql("CREATE ROLE narrow LOGIN CONNECTION LIMIT 0");
    EXPECT_THAT(refusal(as_user(url_, "narrow")),
                AllOf(HasSubstr("too many connections"), HasSubstr("limit")));
    cluster_.run_sql("ALTER DATABASE " + PostgresCluster::database_of(url_) +
                     " SET default_transaction_read_only = on");
    EXPECT_THAT(refusal(url_), AllOf(HasSubstr("read-only"), HasSubstr("primary")));
}

// The server says so as it does when its disk is full; nothing of the group is stored.
TEST_F(PostgresAway, AFullDiskIsNamedAndItGoesOnByItself) {
    PostgresEngine engine({.url = url_}, clock_);
    ASSERT_TRUE(engine.open());
    const std::string database = PostgresCluster::database_of(url_);
    cluster_.run_sql(
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION USING "
        "ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'; END$$",
        database);
    cluster_.run_sql(
        "CREATE TRIGGER full_disk BEFORE INSERT ON parley.events EXECUTE FUNCTION fill()",
        database);
    const std::vector<Change> changes = {OpenSession{make_.session()}};
    const auto refused = engine.commit(changes);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr("No space left"), HasSubstr("make room")));
    engine.close();
    EXPECT_TRUE(engine.open()->sessions.empty());
    cluster_.run_sql("DROP TRIGGER full_disk ON parley.events", database);
    EXPECT_TRUE(engine.commit(changes));
}

TEST_F(PostgresAway, AnAddressThatCannotBeReadIsToldSo) {
    for (const char* url :
         {"postgres://parley@[::1/t", "postgres://parley@host:port/t", "postgres://%zz@host/t",
          "postgres://parley@host/t?no_such_word=1", "postgres://parley@host/t?sslmode=maybe",
          "postgres://parley@host:99999/t"}) {
        PostgresEngine engine({.url = url}, clock_);
        const auto snapshot = engine.open();
        ASSERT_FALSE(snapshot) << url;
        EXPECT_EQ(snapshot.error().code, ErrorCode::invalid) << url;
        EXPECT_THAT(snapshot.error().message,
                    AllOf(HasSubstr("the address of the store cannot be read"),
                          HasSubstr("write postgres://")))
            << url;
    }
    EXPECT_THAT(refusal("postgres://parley@no-such-host.invalid/t"),
                AllOf(HasSubstr("could not translate"), HasSubstr("spelled right")));
}

// libpq takes the rest of it for a host or a database, and says so.
TEST_F(PostgresAway, APasswordThatIsMisreadIsNotShown) {
    for (const char* url :
         {"postgres://ada:se@hidden@host.invalid/t", "postgres://ada:se/hidden@host.invalid/t",
          "postgres://ada:s@e@hidden@host.invalid:5432/t", "postgres://ada:s@e/hidden@host.invalid",
          "postgres://ada:se/@hidden@host.invalid/t", "postgres://ada:hidden%zz@host.invalid/t",
          "postgres://ada:hid:den@hidden@[::1/t", "postgresql://ada:se@hidden/more@host.invalid/t",
          "postgres://ada:hidden@host.invalid:port/t",
          "postgres://ada:x@host.invalid/t?password=hidden%zz",
          "postgres://ada:se@hidden?more@host.invalid/t"}) {
        const std::string told = refusal(url);
        EXPECT_THAT(told, testing::Not(HasSubstr("hid"))) << url;
        EXPECT_THAT(told, testing::Not(HasSubstr("more@"))) << url;
        EXPECT_THAT(told, HasSubstr("To fix it")) << url;
    }
}

TEST_F(PostgresAway, AWrongPasswordIsRefusedAndNotShown) {
    PostgresCluster own;
    own.run_sql("ALTER ROLE parley PASSWORD 'right'");
    own.demand_passwords();
    const std::string url = own.url("postgres");
    const std::string wrong = "postgres://parley:wrong@" + url.substr(url.find('@') + 1);
    EXPECT_THAT(refusal(wrong),
                AllOf(HasSubstr("password authentication failed"), HasSubstr("right password"),
                      testing::Not(HasSubstr("wrong@"))));
    EXPECT_THAT(refusal(url), HasSubstr("give the password"));
}

}  // namespace
}  // namespace parley
