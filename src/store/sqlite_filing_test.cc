// SPDX-License-Identifier: Apache-2.0
// Lists of asks are the same however many are filed yet, also after older formats and trimming.
#include "store/sqlite_filing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "store/fault_vfs.h"
#include "store/sqlite_engine.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

namespace parley {

namespace {

using testing::HasSubstr;

// Two sessions with asks in every state.
std::vector<Change> asks_in_every_state(TestValues& make) {
    std::vector<Change> changes;
    for (int i = 0; i < 2; ++i) {
        const SessionPtr session = make.session();
        changes.emplace_back(OpenSession{session});
        for (const auto outcome :
             {Outcome::answered, Outcome::dismissed, Outcome::timed_out, Outcome::withdrawn}) {
            const AskPtr ask = make.ask(session->id, {.asker = i == 0 ? "ada" : "bob"});
            changes.emplace_back(OpenAsk{ask});
            changes.emplace_back(OpenAsk{make.ask(session->id, {.asker = "ada"})});
            changes.emplace_back(SettleAsk{ask->id, make.settlement(outcome)});
        }
    }
    return changes;
}

std::string describe_lists(SqliteEngine& store, const std::vector<SessionPtr>& sessions) {
    return describe_lists(sessions,
                          [&](const AskQuery& query) { return store.list_asks(query).value(); });
}

// As a program that knew only this format would have left it.
struct OldFormat {
    std::string_view name;
    std::string_view last;
    std::string first = kBackToFormat3;

    std::string sql() const { return first + std::string(last); }
};
const OldFormat kFormat1 = {
    "1",
    "DROP TABLE filed_by_session; DROP TABLE filed_by_state; DROP TABLE filed_pending_by_session;"
    "CREATE INDEX asks_state ON asks(state, id); CREATE INDEX asks_session ON asks(session, id);"
    "DELETE FROM meta WHERE name = 'filed'; UPDATE events SET doc = NULL WHERE type = 2;"
    "PRAGMA user_version=1"};
const OldFormat kFormat2 = {
    "2",
    "DROP TABLE filed_pending_by_session; DELETE FROM filed_by_state WHERE state = 0;"
    "CREATE INDEX asks_pending ON asks(id) WHERE state = 0;"
    "CREATE INDEX asks_pending_session ON asks(session, id) WHERE state = 0;"
    "PRAGMA user_version=2"};
const OldFormat kFormat3 = {"3", "PRAGMA user_version=3"};
const OldFormat kFormat4 = {"4", "PRAGMA user_version=4", kBackToFormat4};
const OldFormat kFormat5 = {"5", "PRAGMA user_version=5", kBackToFormat5};
const OldFormat kFormat6 = {"6", "PRAGMA user_version=6", kBackToFormat6};
const std::array kOldFormats = {kFormat1, kFormat2, kFormat3, kFormat4, kFormat5, kFormat6};

std::string read_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class SqliteFiling : public testing::Test {
protected:
    TestFolder folder_;
    StillClock clock_;
    TestValues make_;
};

}  // namespace

TEST_F(SqliteFiling, ListsAreTheSameWhetherAsksAreFiledOrNot) {
    const std::vector<Change> changes = asks_in_every_state(make_);
    std::vector<std::string> lists;
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{12}, std::size_t{1000}}) {
        SqliteEngine store(
            {.path = folder_.path(fmt::format("{}.db", at_once)), .events_filed_at_once = at_once},
            clock_);
        ASSERT_TRUE(store.open());
        for (const Change& change : changes) ASSERT_TRUE(store.commit({&change, 1}));
        store.close();
        const auto opened = store.open();
        ASSERT_TRUE(opened);
        lists.push_back(describe_lists(store, opened->sessions));
    }
    EXPECT_THAT(lists[0], HasSubstr("que_"));
    EXPECT_EQ(lists[1], lists[0]);
    EXPECT_EQ(lists[2], lists[0]);
}

// The events of a session are those of all events that are its own, in both directions.
TEST_F(SqliteFiling, EventsOfASessionAreFoundWhetherTheyAreFiledOrNot) {
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{12}, std::size_t{1000}}) {
        SCOPED_TRACE(at_once);
        const TestFolder folder;
        SqliteEngine store(
            {.path = folder.path("store.db"), .events_kept = 10, .events_filed_at_once = at_once},
            clock_);
        const auto opened = store.open();
        ASSERT_TRUE(opened);
        for (const Change& change : asks_in_every_state(make_))
            ASSERT_TRUE(store.commit({&change, 1}));
        Cursor first = opened->head;
        for (const bool is_trimmed : {false, true}) {
            while (is_trimmed && store.tidy_up().value()) {
            }
            first = is_trimmed ? store.list_events({.after = {}})->oldest : first;
            const std::vector<EventPtr> all = store.list_events({.after = first})->events;
            for (const SessionId session : {all.front()->session, all.back()->session}) {
                std::vector<EventPtr> own;
                for (const EventPtr& event : all)
                    if (event->session == session) own.push_back(event);
                EventQuery query{.after = first, .session = session};
                EXPECT_EQ(describe(store.list_events(query)->events), describe(own));
                query = {.after = {}, .session = session, .order = ListOrder::newest_first};
                std::ranges::reverse(own);
                EXPECT_EQ(describe(store.list_events(query)->events), describe(own));
            }
        }
        store.close();
        EXPECT_EQ(ask_sql(folder.path("store.db"),
                          "SELECT count(*) FROM filed_events f LEFT JOIN events e "
                          "ON e.cursor = f.last WHERE e.cursor IS NULL"),
                  "0");
    }
}

// However many others there are: each list is searched where its own begin.
TEST_F(SqliteFiling, NoListGoesThroughWhatBelongsToOthers) {
    {
        SqliteEngine store({.path = folder_.path("store.db")}, clock_);
        ASSERT_TRUE(store.open());
    }
    const auto check = [&](std::string_view sql) {
        SCOPED_TRACE(sql);
        sqlite3* db = nullptr;
        sqlite3_stmt* plan = nullptr;
        ASSERT_EQ(sqlite3_open(folder_.path("store.db").c_str(), &db), SQLITE_OK);
        const std::string explain = "EXPLAIN QUERY PLAN " + std::string(sql);
        ASSERT_EQ(sqlite3_prepare_v2(db, explain.c_str(), -1, &plan, nullptr), SQLITE_OK)
            << sqlite3_errmsg(db);
        while (sqlite3_step(plan) == SQLITE_ROW) {
            const std::string step = reinterpret_cast<const char*>(sqlite3_column_text(plan, 3));
            for (const auto* table : {"SCAN events", "SCAN asks", "SCAN filed"})
                EXPECT_EQ(step.find(table), std::string::npos) << step;
        }
        sqlite3_finalize(plan);
        sqlite3_close(db);
    };
    check(sqlite::kSelectSettledIds);
    for (const auto order : {ListOrder::oldest_first, ListOrder::newest_first}) {
        check(sqlite::select_all_ids(order));
        check(sqlite::select_pending_ids(order));
        check(sqlite::select_pending_ids_of_session(order));
        check(sqlite::select_ids_in_state(order));
        check(sqlite::select_ids_of_session(order));
        check(sqlite::select_ids_of_asker(order));
        check(sqlite::select_filed_cursors(order));
        check(sqlite::select_unfiled_cursors(order));
    }
    check(sqlite::kDropFiledEvents);
}

TEST_F(SqliteFiling, AStoreOfAnOlderFormatIsBroughtUpToDate) {
    const std::vector<Change> before = asks_in_every_state(make_);
    const std::vector<Change> after = asks_in_every_state(make_);
    const std::string drop_some =
        "DELETE FROM events WHERE cursor < (SELECT max(cursor) - 5 FROM "
        "events);";
    const auto check = [&](const OldFormat& format, const std::string& dropped,
                           std::size_t at_once) {
        SCOPED_TRACE(fmt::format("{} {} {}", format.name, dropped, at_once));
        const TestFolder folder;
        std::string lists;
        for (const char* name : {"new.db", "old.db"}) {
            SqliteEngine store({.path = folder.path(name), .events_filed_at_once = at_once},
                               clock_);
            ASSERT_TRUE(store.open());
            ASSERT_TRUE(store.commit(before));
            store.close();
            if (name == std::string("old.db")) run_sql(folder.path(name), dropped + format.sql());
            const auto opened = store.open();
            ASSERT_TRUE(opened) << opened.error().message;
            EXPECT_EQ(opened->pending.size(), 8U);
            ASSERT_TRUE(store.commit(after));
            const std::string found = describe_lists(store, opened->sessions);
            if (lists.empty()) lists = found;
            EXPECT_EQ(found, lists);
        }
        EXPECT_EQ(ask_sql(folder.path("old.db"), "PRAGMA user_version"), "7");
        EXPECT_EQ(ask_sql(folder.path("old.db"), "PRAGMA integrity_check"), "ok");
    };
    check(kFormat1, "", 1);
    check(kFormat1, drop_some, 1);
    check(kFormat2, "", 1);
    check(kFormat2, "", 30);  // the first asks are filed by now, or none
    check(kFormat2, "", 1000);
    check(kFormat2, drop_some, 1);
    check(kFormat5, "", 1);
    check(kFormat5, "", 30);
    check(kFormat5, "", 1000);
    check(kFormat5, drop_some, 1);
}

TEST_F(SqliteFiling, AnEmptyStoreOfAnOlderFormatIsBroughtUpToDate) {
    ASSERT_EQ(kOldFormats.size() + 1, static_cast<std::size_t>(sqlite::schema_version()));
    for (const OldFormat& format : kOldFormats) {
        const TestFolder folder;
        SqliteEngine store({.path = folder.path("store.db")}, clock_);
        ASSERT_TRUE(store.open());
        store.close();
        run_sql(folder.path("store.db"), format.sql());
        ASSERT_TRUE(store.open());
        ASSERT_TRUE(store.commit(asks_in_every_state(make_)));
        EXPECT_EQ(store.list_asks({.state = AskState::timed_out})->asks.size(), 2U);
        EXPECT_EQ(store.list_asks({.state = AskState::pending})->asks.size(), 8U);
    }
}

TEST_F(SqliteFiling, APowerLossWhileAStoreIsBroughtUpToDateLosesNothing) {
    const std::vector<Change> changes = asks_in_every_state(make_);
    for (const OldFormat& format : kOldFormats) {
        const TestFolder folder;
        const std::string path = folder.path("store.db");
        SqliteEngine store({.path = path}, clock_);
        ASSERT_TRUE(store.open());
        ASSERT_TRUE(store.commit(changes));
        store.close();
        const std::vector<SessionPtr> sessions = store.open()->sessions;
        const std::string lists = describe_lists(store, sessions);
        store.close();
        run_sql(path, format.sql());
        const std::string content = read_whole(path);

        std::uint64_t nth = 0;
        for (bool was_hit = true; was_hit && !HasFailure();) {
            SCOPED_TRACE(fmt::format("format {}, operation {}", format.name, ++nth));
            CrashVfs disk(nth);
            disk.set_content("/old.db", content);
            disk.inject(CrashVfs::Failure::power_loss, nth);
            const SqliteOptions options{.path = "/old.db", .vfs = disk.name()};
            (void)SqliteEngine(options, clock_).open();
            was_hit = disk.was_hit();
            disk.crash(nth);
            SqliteEngine again(options, clock_);
            const auto opened = again.open();
            ASSERT_TRUE(opened) << opened.error().message;
            EXPECT_EQ(opened->pending.size(), 8U);
            EXPECT_EQ(describe_lists(again, sessions), lists);
        }
        EXPECT_GT(nth, 20U) << "hardly anything was written";
    }
}

// An ask that was filed as pending is no longer found as such, however it was settled.
TEST_F(SqliteFiling, ASettledAskIsNoLongerFiledAsPending) {
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{4}, std::size_t{1000}}) {
        SCOPED_TRACE(at_once);
        const TestFolder folder;
        SqliteEngine store({.path = folder.path("store.db"), .events_filed_at_once = at_once},
                           clock_);
        ASSERT_TRUE(store.open());
        const SessionPtr answered = make_.session();
        const SessionPtr ended = make_.session();
        std::vector<AskPtr> asks;
        const auto commit = [&](Change change) { ASSERT_TRUE(store.commit({&change, 1})); };
        for (const SessionPtr& session : {answered, ended}) {
            commit(OpenSession{session});
            for (int i = 0; i < 4; ++i) {
                asks.push_back(make_.ask(session->id));
                commit(OpenAsk{asks.back()});
            }
        }
        store.close();
        ASSERT_EQ(store.open()->pending.size(), 8U);
        for (std::size_t i = 0; i < 4; ++i)
            commit(SettleAsk{asks[i]->id, make_.settlement(Outcome::answered)});
        EXPECT_EQ(store.list_asks({.state = AskState::pending})->asks.size(), 4U);
        EXPECT_EQ(
            store.list_asks({.state = AskState::pending, .session = answered->id})->asks.size(),
            0U);
        commit(make_.end(ended->id));
        EXPECT_EQ(store.list_asks({.state = AskState::pending})->asks.size(), 0U);
        store.close();
        EXPECT_TRUE(store.open()->pending.empty());
        store.close();
        EXPECT_EQ(ask_sql(folder.path("store.db"),
                          "SELECT (SELECT count(*) FROM filed_pending_by_session) + "
                          "(SELECT count(*) FROM filed_by_state WHERE state = 0)"),
                  "0");
    }
}

TEST_F(SqliteFiling, PendingAsksAreLoadedByTheirIdsWhetherFiledOrNot) {
    SqliteEngine store({.path = folder_.path("store.db"), .events_filed_at_once = 3}, clock_);
    ASSERT_TRUE(store.open());
    const SessionPtr session = make_.session();
    const Change first = OpenSession{session};
    ASSERT_TRUE(store.commit({&first, 1}));
    const AskPtr lower = make_.ask(session->id);
    const AskPtr higher = make_.ask(session->id);
    const std::vector<Change> filed = {OpenAsk{higher}, make_.notice(SessionId()),
                                       make_.notice(SessionId())};
    ASSERT_TRUE(store.commit(filed));
    const Change unfiled = OpenAsk{lower};
    ASSERT_TRUE(store.commit({&unfiled, 1}));
    store.close();
    const auto opened = store.open();
    ASSERT_EQ(opened->pending.size(), 2U);
    EXPECT_EQ(opened->pending[0]->id, lower->id);
    EXPECT_EQ(opened->pending[1]->id, higher->id);
    store.close();
    EXPECT_EQ(ask_sql(folder_.path("store.db"), "SELECT count(*) FROM filed_pending_by_session"),
              "1");
}

TEST_F(SqliteFiling, EventsStayUntilTheirAsksAreFiled) {
    SqliteEngine store(
        {.path = folder_.path("store.db"), .events_kept = 1, .events_filed_at_once = 100}, clock_);
    const auto tidy_up = [&] {
        while (store.tidy_up().value()) {
        }
    };
    ASSERT_TRUE(store.open());
    const Change first = OpenSession{make_.session()};
    const auto filed = store.commit({&first, 1});  // the first of a store always is
    ASSERT_TRUE(filed);
    const Cursor start = filed->events.back()->cursor;
    ASSERT_TRUE(store.commit(asks_in_every_state(make_)));
    tidy_up();
    EXPECT_FALSE(store.list_events({.after = start})->has_gap);
    const std::string lists = describe_lists(store, {});

    std::vector<Change> more;
    while (more.size() < 100) more.emplace_back(make_.notice(SessionId()));
    ASSERT_TRUE(store.commit(more));
    tidy_up();
    EXPECT_TRUE(store.list_events({.after = start})->has_gap);
    EXPECT_EQ(describe_lists(store, {}), lists);
}

}  // namespace parley
