// SPDX-License-Identifier: Apache-2.0
// What is SQLite's own about the SQLite engine: the file and who may have it, errors that say what
// to do, formats, the log, and how old events go. What every engine does is in the conformance
// suite, what a failing disk does in sqlite_fault_test.cc.
#include "store/sqlite_engine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/sizes.h"
#include "store/fault_vfs.h"
#include "store/limits.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

namespace parley {

namespace {

using testing::HasSubstr;

mode_t mode_of(const std::string& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

std::string read_all(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

class SqliteEngineTest : public testing::Test {
protected:
    SqliteEngine engine(const std::string& name = "store.db") {
        return SqliteEngine({.path = folder_.path(name)}, clock_);
    }
    Error error_of_opening(const std::string& name = "store.db") {
        auto opened = engine(name).open();
        EXPECT_FALSE(opened);
        return opened ? Error() : opened.error();
    }
    void create() { ASSERT_TRUE(engine().open()); }

    TestFolder folder_;
    StillClock clock_;
    TestValues make_;
};

}  // namespace

TEST_F(SqliteEngineTest, FolderAndFilesAreForTheirOwnerAlone) {
    SqliteEngine store = engine("new/deeper/store.db");
    ASSERT_TRUE(store.open());
    ASSERT_TRUE(store.commit(std::vector<Change>{OpenSession{make_.session()}}));
    EXPECT_EQ(mode_of(folder_.path("new")), 0700U);
    EXPECT_EQ(mode_of(folder_.path("new/deeper")), 0700U);
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("new/deeper"))) {
        names.insert(entry.path().filename().string());
        EXPECT_EQ(mode_of(entry.path().string()), 0600U) << entry.path();
    }
    // No "-shm": nobody else can join.
    EXPECT_EQ(names, (std::set<std::string>{"store.db", "store.db-wal", "store.db.lock"}));
}

// A copy that was put back, or a careless umask: what others could read they cannot any more, also
// of what a broker that was killed left beside it, and each file is told once.
TEST_F(SqliteEngineTest, FilesThatOthersCouldUseAreMendedAndTold) {
    create();
    const std::string path = folder_.path("store.db");
    std::ofstream(path + "-wal").close();
    for (const std::string_view suffix : {"", "-wal", ".lock"})
        ASSERT_EQ(::chmod((path + std::string(suffix)).c_str(), 0646), 0);
    std::vector<std::string> told;
    const auto mended = [&](const std::string& file) { told.push_back(file); };
    for (int round = 0; round < 2; ++round) {
        SqliteEngine store({.path = path, .on_mended = mended}, clock_);
        ASSERT_TRUE(store.open());
        EXPECT_EQ(mode_of(path), 0600U);
        EXPECT_EQ(mode_of(path + ".lock"), 0600U);
    }
    EXPECT_EQ(told, (std::vector{path, path + "-wal", path + ".lock"}));
}

// Root could use it, and would leave files beside it that its owner cannot.
TEST_F(SqliteEngineTest, AStoreOfAnotherUserIsRefusedAndNothingIsMadeBesideIt) {
    const std::string path = folder_.path("store.db");
    create();
    std::filesystem::remove(path + ".lock");
    constexpr uid_t kNobody = 65534;
    if (::chown(path.c_str(), kNobody, static_cast<gid_t>(-1)) != 0)
        GTEST_SKIP() << "only root can give files away";
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::denied);
    EXPECT_THAT(error.message, HasSubstr(path + " belongs to "));
    EXPECT_THAT(error.message, HasSubstr("To fix it: run Parley as the file's owner"));
    EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST_F(SqliteEngineTest, AProgramCanForgoTheStatisticsOfMemory) {
    ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK);
    forgo_sqlite_statistics();
    SqliteEngine store = engine();
    ASSERT_TRUE(store.open());
    EXPECT_EQ(sqlite3_memory_used(), 0);
    forgo_sqlite_statistics();  // in use: nothing happens
    EXPECT_TRUE(store.commit(std::vector<Change>{OpenSession{make_.session()}}));
    store.close();
    ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK);
    ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1), SQLITE_OK);
}

TEST_F(SqliteEngineTest, ANameThatSqliteTakesForSpecialIsAFileToo) {
    TestFolder folder;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path("."));
    const bool is_open = SqliteEngine({.path = ":memory:"}, clock_).open().has_value();
    std::filesystem::current_path(before);
    EXPECT_TRUE(is_open);
    EXPECT_TRUE(std::filesystem::exists(folder.path(":memory:")));
}

TEST_F(SqliteEngineTest, ASecondOpenerInThisProcessIsRefusedAndToldWhoHoldsTheStore) {
    SqliteEngine first = engine();
    ASSERT_TRUE(first.open());
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::conflict);
    EXPECT_THAT(error.message, HasSubstr(fmt::format("in use by process {} (", ::getpid())));
    EXPECT_THAT(error.message, HasSubstr(folder_.path("store.db")));
    EXPECT_TRUE(first.commit(std::vector<Change>{OpenSession{make_.session()}}))
        << "the refusal does not disturb the holder";
    first.close();
    EXPECT_TRUE(engine().open());
}

TEST_F(SqliteEngineTest, AnotherProcessHoldsTheStoreUntilItIsKilled) {
    std::array<int, 2> ready = {};
    ASSERT_EQ(::pipe(ready.data()), 0);
    const pid_t holder = ::fork();
    if (holder == 0) {
        SqliteEngine held = engine();
        const char is_open = held.open() ? 'y' : 'n';
        (void)!::write(ready[1], &is_open, 1);
        ::pause();
        ::_exit(0);
    }
    char is_open = 0;
    ASSERT_EQ(::read(ready[0], &is_open, 1), 1);
    ASSERT_EQ(is_open, 'y');
    const Error error = error_of_opening();
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    EXPECT_EQ(error.code, ErrorCode::conflict);
    EXPECT_THAT(error.message, HasSubstr(fmt::format("process {} (", holder)));
    EXPECT_TRUE(engine().open()) << "the lock went with its holder";
}

TEST_F(SqliteEngineTest, AnotherProgramInTheFileIsAConflict) {
    create();
    sqlite3* browser = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.path("store.db").c_str(), &browser), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(browser, "BEGIN; SELECT * FROM asks", nullptr, nullptr, nullptr),
              SQLITE_OK);
    const Error error = error_of_opening();
    sqlite3_close(browser);
    EXPECT_EQ(error.code, ErrorCode::conflict);
    EXPECT_THAT(error.message, HasSubstr("another program is using it"));
    EXPECT_TRUE(engine().open());
}

TEST_F(SqliteEngineTest, ANewerFormatIsRefusedAndLeftAlone) {
    create();
    run_sql(folder_.path("store.db"), "PRAGMA user_version=99");
    const std::string before = read_all(folder_.path("store.db"));
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message,
                HasSubstr("has format 99, and this program knows only formats up to 7"));
    EXPECT_THAT(error.message, HasSubstr("run the newer version"));
    EXPECT_EQ(read_all(folder_.path("store.db")), before);
}

// Format 3 knew neither principals nor versions of drafts, and kept what `by` claimed as the name.
TEST_F(SqliteEngineTest, AStoreOfFormat3KeepsWhoDecidedWhatAndWhoHadWhichDraft) {
    const SessionPtr session = make_.session();
    const AskPtr pending = make_.ask(session->id);
    const AskPtr settled = make_.ask(session->id);
    const AddMessage said = make_.message(session->id, "hello");
    {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        const std::vector<Change> changes = {
            OpenSession{session},
            OpenAsk{pending},
            OpenAsk{settled},
            make_.draft(pending->id, "half"),
            said,
            SettleAsk{settled->id, make_.settlement(Outcome::answered)}};
        ASSERT_TRUE(store.commit(changes));
    }
    const std::string claim = R"({"kind":"person","principal":"ada","name":"Ada L."})";
    run_sql(folder_.path("store.db"),
            kBackToFormat3 +
                "UPDATE drafts SET answers = '[{\"selected\":[],\"other\":\"half\"}]';"
                "UPDATE asks SET settlement = json_set(settlement, '$.decider', json('" +
                claim +
                "')) WHERE state > 0;"
                "UPDATE messages SET record = json_set(record, '$.by', json('" +
                claim +
                "'));"
                "INSERT INTO tokens VALUES('ada', 1, 'aa', 5, NULL), ('ci', 0, 'bb', 5, 900),"
                "('browser:11112222', 1, 'cc', 5, 900),"
                "('browser:33334444:aaaaaaaa@ada', 1, 'dd', 5, 900);"
                "PRAGMA user_version=3");
    SqliteEngine store = engine();
    const auto opened = store.open();
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_EQ(opened->drafts.size(), 1U);
    EXPECT_EQ(opened->drafts[0].principal, "ada");
    EXPECT_EQ(*opened->drafts[0].draft, (Draft{.answers = {{.other = "half"}}, .version = 1}));
    const Decider who = {.principal = "ada", .name = "ada", .claimed = "Ada L."};
    EXPECT_EQ(store.find_ask(settled->id).value()->settlement->decider, who);
    EXPECT_EQ(opened->messages.at(0).message.by, who);
    const auto person_of = [&](std::size_t at) {
        return std::pair(opened->tokens.at(at)->principal, opened->tokens.at(at)->person);
    };
    ASSERT_EQ(opened->tokens.size(), 4U);
    EXPECT_EQ(person_of(0), std::pair(std::string("ada"), std::string("ada")));
    EXPECT_EQ(person_of(1), std::pair(std::string("browser:11112222"), std::string()))
        << "a person of their own, who has said no name";
    EXPECT_EQ(person_of(2), std::pair(std::string("ada"), std::string("ada")));
    EXPECT_EQ(person_of(3), std::pair(std::string("ci"), std::string("ci")));
    store.close();
    EXPECT_EQ(ask_sql(folder_.path("store.db"), "PRAGMA user_version"), "7");
}

// Before format 6 snoozes and tokens had no events: what stood then is known by its rows, and lost
// by no power that fails while the store is brought up to date.
TEST_F(SqliteEngineTest, AStoreOfBeforeFormat6KeepsItsSnoozesAndTokens) {
    const SessionPtr session = make_.session();
    const AskPtr ask = make_.ask(session->id);
    {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        ASSERT_TRUE(store.commit(std::vector<Change>{
            OpenSession{session}, OpenAsk{ask},
            PutSnooze{ask->id, make_.tick(), "ada", make_.tick()},
            PutToken{make_.token("laptop", "aa11")}, DropToken{"phone", make_.tick()}}));
    }
    const std::string path = folder_.path("store.db");
    run_sql(path, "DELETE FROM events WHERE type > 10;" + kBackToFormat5);
    const std::string without_session = "ALTER TABLE tokens DROP COLUMN session;";
    for (const std::string& format :
         {std::string("PRAGMA user_version=5"), without_session + "PRAGMA user_version=4"}) {
        run_sql(path, format);
        const std::string content = read_all(path);
        std::uint64_t nth = 0;
        for (bool was_hit = true; was_hit && !HasFailure();) {
            SCOPED_TRACE(fmt::format("{}, operation {}", format, ++nth));
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
            ASSERT_EQ(opened->snoozes.size(), 1U);
            EXPECT_EQ(opened->snoozes[0].principal, "ada");
            ASSERT_EQ(opened->tokens.size(), 1U);
            EXPECT_EQ(opened->tokens[0]->hash, "aa11");
            const auto report = again.commit(std::vector<Change>{
                PutSnooze{ask->id, make_.tick(), "ada", {}}, DropToken{"laptop", make_.tick()}});
            ASSERT_TRUE(report) << report.error().message;
            EXPECT_EQ(report->events.size(), 2U);
        }
        EXPECT_GT(nth, 3U) << "hardly anything was written";
    }
}

TEST_F(SqliteEngineTest, ADatabaseOfAnotherProgramIsRefusedAndLeftAlone) {
    run_sql(folder_.path("store.db"), "CREATE TABLE asks(id)");
    const std::string before = read_all(folder_.path("store.db"));
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_THAT(error.message, HasSubstr("a SQLite database of another program"));
    EXPECT_EQ(read_all(folder_.path("store.db")), before);
}

TEST_F(SqliteEngineTest, AFileThatIsNoDatabaseIsRefusedAndLeftAlone) {
    const std::string text(5000, 'x');
    std::ofstream(folder_.path("store.db")) << text;
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::corrupt);
    EXPECT_THAT(error.message, HasSubstr("it is not a database"));
    EXPECT_THAT(error.message, HasSubstr(folder_.path("store.db")));
    EXPECT_EQ(read_all(folder_.path("store.db")), text);
}

TEST_F(SqliteEngineTest, ADamagedFileIsCorruptAndNeverACrash) {
    {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        const SessionPtr session = make_.session();
        std::vector<Change> changes = {OpenSession{session}};
        for (int i = 0; i < 50; ++i) changes.emplace_back(OpenAsk{make_.ask(session->id)});
        ASSERT_TRUE(store.commit(changes));
    }
    const std::string whole = read_all(folder_.path("store.db"));
    int refused = 0;
    // Each page in turn, all but the first of which holds what open() reads.
    for (std::size_t page = 1; page < whole.size() / 4096; ++page) {
        std::string damaged = whole;
        for (std::size_t i = 0; i < 4096; i += 3) damaged[page * 4096 + i] = '\xa5';
        std::ofstream(folder_.path("store.db"), std::ios::binary) << damaged;
        SqliteEngine store = engine();
        if (const auto opened = store.open(); !opened) {
            ++refused;
            EXPECT_EQ(opened.error().code, ErrorCode::corrupt) << opened.error().message;
        }
    }
    EXPECT_GT(refused, 5);
}

TEST_F(SqliteEngineTest, ADamagedRecordIsCorruptAndSaysWhich) {
    create();
    run_sql(
        folder_.path("store.db"),
        "INSERT INTO sessions(opened, id, record) VALUES(1, x'00112233445566778899aabbccddeeff',"
        " '{\"id\":7')");
    const Error error = error_of_opening();
    EXPECT_EQ(error.code, ErrorCode::corrupt);
    EXPECT_THAT(error.message, HasSubstr("damaged session"));
}

// Rows that somebody changed by hand, or that a disk did.
TEST_F(SqliteEngineTest, WhatCannotBeReadIsNamedByItsTableAndRowAndNeverSkipped) {
    const auto fill = [this] {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        const SessionPtr session = make_.session();
        AskPtr ask = make_.ask(session->id);
        ASSERT_TRUE(store.commit(std::vector<Change>{OpenSession{session}, OpenAsk{ask}}));
    };
    struct Damage {
        const char* sql;
        const char* said;
    };
    for (const Damage& damage : {
             Damage{"UPDATE asks SET deadline_ms = 9223372036854775807",
                    "damaged ask (table asks, row que_"},
             Damage{"UPDATE asks SET deadline_ms = created_ms + 400000000000", "its deadline lies"},
             Damage{"UPDATE asks SET created_ms = -9223372036854775807", "is no time"},
             Damage{"UPDATE asks SET spec = '{'", "damaged ask (table asks, row que_"},
             Damage{"DELETE FROM sessions", "is not in table sessions"},
             Damage{"UPDATE sessions SET ended_ms = 1", "or has ended"},
             Damage{"UPDATE sessions SET record = '{}'",
                    "damaged session (table sessions, row ses_"},
         }) {
        fill();
        run_sql(folder_.path("store.db"), damage.sql);
        const Error error = error_of_opening();
        EXPECT_EQ(error.code, ErrorCode::corrupt) << damage.sql;
        EXPECT_THAT(error.message, HasSubstr(damage.said)) << damage.sql;
        EXPECT_THAT(error.message, HasSubstr("To fix it: ")) << damage.sql;
        std::filesystem::remove(folder_.path("store.db"));
    }
}

TEST_F(SqliteEngineTest, ADamagedEventIsNamedByItsCursor) {
    {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        ASSERT_TRUE(store.commit(std::vector<Change>{OpenSession{make_.session()}}));
    }
    run_sql(folder_.path("store.db"), "UPDATE events SET doc = 'not JSON'");
    const std::string cursor = ask_sql(folder_.path("store.db"), "SELECT max(cursor) FROM events");
    SqliteEngine store = engine();
    const auto snapshot = store.open();
    ASSERT_TRUE(snapshot);
    const auto page = store.list_events({.after = snapshot->oldest});
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().code, ErrorCode::corrupt);
    EXPECT_THAT(page.error().message,
                HasSubstr("damaged event (table events, row " + cursor + ")"));
}

TEST_F(SqliteEngineTest, AFileThatIsRemovedOrReplacedTakesNothingMoreUntilItIsBack) {
    SqliteEngine store = engine();
    ASSERT_TRUE(store.open());
    const std::vector<Change> first = {OpenSession{make_.session("first")}};
    ASSERT_TRUE(store.commit(first));
    const auto size = store.check();
    ASSERT_TRUE(size);
    EXPECT_GT(size->bytes, 0u);
    EXPECT_GT(size->log_bytes, 0u);

    std::filesystem::rename(folder_.path("store.db"), folder_.path("elsewhere.db"));
    EXPECT_EQ(store.check().error().code, ErrorCode::unavailable);
    const auto removed = store.open();
    ASSERT_FALSE(removed);
    EXPECT_THAT(removed.error().message, HasSubstr("was removed under the running broker"));
    EXPECT_THAT(removed.error().message, HasSubstr(fmt::format("/proc/{}/fd/", ::getpid())));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("store.db"))) << "no new one is made";

    std::filesystem::copy_file(folder_.path("elsewhere.db"), folder_.path("store.db"));
    EXPECT_THAT(store.open().error().message, HasSubstr("was replaced under the running broker"));
    std::filesystem::rename(folder_.path("elsewhere.db"), folder_.path("store.db"));
    const auto back = store.open();
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->sessions.size(), 1u);
    ASSERT_TRUE(store.commit(std::vector<Change>{OpenSession{make_.session("second")}}));

    std::filesystem::remove(folder_.path("store.db"));
    const auto lost = store.commit(std::vector<Change>{OpenSession{make_.session("third")}});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::unavailable);
    EXPECT_THAT(lost.error().message, HasSubstr("To fix it: put the file back"));
}

TEST_F(SqliteEngineTest, APathThatCannotBeAFileSaysWhy) {
    std::ofstream(folder_.path("file")) << "x";
    const Error below_file = error_of_opening("file/store.db");
    EXPECT_EQ(below_file.code, ErrorCode::unavailable);
    EXPECT_THAT(below_file.message, HasSubstr("cannot open the lock file"));
    EXPECT_THAT(below_file.message, HasSubstr("Not a directory"));

    std::filesystem::create_directory(folder_.path("folder"));
    const Error folder = error_of_opening("folder");
    EXPECT_EQ(folder.code, ErrorCode::unavailable);
    EXPECT_THAT(folder.message, HasSubstr("Is a directory"));

    const auto nowhere = SqliteEngine({.path = "/proc/parley/store.db"}, clock_).open();
    ASSERT_FALSE(nowhere);
    EXPECT_THAT(nowhere.error().message, HasSubstr("cannot create the folder /proc/parley"));
    EXPECT_EQ(SqliteEngine({.path = ""}, clock_).open().error().code, ErrorCode::invalid);
}

TEST_F(SqliteEngineTest, WithoutRightsTheErrorNamesPathCauseAndFix) {
    std::filesystem::create_directory(folder_.path("locked"));
    std::ofstream(folder_.path("store.db")) << "";
    for (const char* name : {".", "locked"})
        ASSERT_EQ(::chmod(folder_.path(name).c_str(), name[0] == '.' ? 0777 : 0555), 0);
    ASSERT_EQ(::chmod(folder_.path("store.db").c_str(), 0400), 0);
    // The superuser may do everything, so the test becomes somebody else for a moment.
    const bool is_superuser = ::geteuid() == 0;
    constexpr uid_t kNobody = 65534;
    if (is_superuser) {
        ASSERT_EQ(::chown(folder_.path("store.db").c_str(), kNobody, static_cast<gid_t>(-1)), 0);
        ASSERT_EQ(::seteuid(kNobody), 0);
    }
    const Error no_folder = error_of_opening("locked/store.db");
    const Error no_file = error_of_opening("store.db");
    if (is_superuser) ASSERT_EQ(::seteuid(0), 0);

    for (const Error& error : {no_folder, no_file}) {
        EXPECT_EQ(error.code, ErrorCode::unavailable);
        EXPECT_THAT(error.message, HasSubstr("store.db"));
        EXPECT_THAT(error.message, HasSubstr("Permission denied"));
        EXPECT_THAT(error.message, HasSubstr("the rights of this user"));
    }
}

TEST_F(SqliteEngineTest, EachKindOfFailureOfTheDiskHasItsOwnWords) {
    using Failure = CrashVfs::Failure;
    for (const auto& [failure, words] :
         {std::pair(Failure::disk_full, "the disk is full"),
          std::pair(Failure::io_error, "the disk failed to read or write"),
          std::pair(Failure::read_only, "it cannot be written to")}) {
        CrashVfs disk;
        SqliteEngine store({.path = "/store.db", .vfs = disk.name()}, clock_);
        ASSERT_TRUE(store.open());
        disk.inject(failure, 1);
        const auto report = store.commit(std::vector<Change>{OpenSession{make_.session()}});
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, ErrorCode::unavailable);
        EXPECT_THAT(report.error().message, HasSubstr(words));
        EXPECT_THAT(report.error().message, HasSubstr("/store.db"));
    }
}

TEST_F(SqliteEngineTest, AClosedOrFailedEngineIsUnavailableUntilItIsOpened) {
    CrashVfs disk;
    SqliteEngine store({.path = "/store.db", .vfs = disk.name()}, clock_);
    const std::vector<Change> change = {OpenSession{make_.session()}};
    EXPECT_EQ(store.commit(change).error().code, ErrorCode::unavailable);
    EXPECT_EQ(store.find_ask(make_.ask_id()).error().code, ErrorCode::unavailable);
    ASSERT_TRUE(store.open());
    disk.inject(CrashVfs::Failure::io_error, 1);
    EXPECT_FALSE(store.commit(change));
    EXPECT_EQ(store.commit(change).error().message, "the store is not open");
    EXPECT_EQ(store.list_events({}).error().code, ErrorCode::unavailable);
    EXPECT_EQ(store.tidy_up().error().code, ErrorCode::unavailable);
    store.close();
    ASSERT_TRUE(store.open());
    EXPECT_TRUE(store.commit(change));
}

// The examples of docs/formats/sqlite.md.
TEST_F(SqliteEngineTest, AnotherProgramCanReadTheFileAsItIsDocumented) {
    {
        SqliteEngine store = engine();
        ASSERT_TRUE(store.open());
        const SessionPtr session = make_.session("build-7");
        const AskPtr settled = make_.ask(session->id);
        ASSERT_TRUE(store.commit(std::vector<Change>{
            OpenSession{session}, OpenAsk{settled}, OpenAsk{make_.ask(session->id, {}, "Why?")},
            SettleAsk{settled->id, make_.settlement(Outcome::dismissed)}}));
    }
    const std::string path = folder_.path("store.db");
    EXPECT_EQ(ask_sql(path, "PRAGMA application_id"), std::to_string(0x50726c79));
    EXPECT_EQ(ask_sql(path, "PRAGMA user_version"), "7");
    EXPECT_EQ(ask_sql(path,
                      "SELECT spec ->> '$.questions[0].question' FROM asks WHERE state = 0 "
                      "ORDER BY id"),
              "Why?");
    EXPECT_EQ(ask_sql(path,
                      "SELECT (settlement ->> '$.outcome') || ' by ' || "
                      "(settlement ->> '$.decider.principal') FROM asks WHERE state > 0"),
              "dismissed by ada");
    EXPECT_EQ(ask_sql(path,
                      "SELECT group_concat(type || '@' || (cursor - value)) FROM events, meta "
                      "WHERE name = 'origin'"),
              "4@1,1@2,1@3,2@4");
    EXPECT_EQ(ask_sql(path, "SELECT record ->> '$.name' FROM sessions"), "build-7");
}

TEST_F(SqliteEngineTest, OldEventsGoInSmallStepsAndTheirCursorsBecomeGaps) {
    constexpr std::size_t kKept = 10;
    const SqliteOptions options{.path = folder_.path("store.db"), .events_kept = kKept};
    SqliteEngine store(options, clock_);
    const auto opened = store.open();
    ASSERT_TRUE(opened);
    const SessionPtr session = make_.session();
    std::vector<Change> changes = {OpenSession{session}};
    const std::size_t total = 2 * limits::kEventsDroppedAtOnce + kKept;
    while (changes.size() < total) changes.emplace_back(make_.notice(session->id));
    ASSERT_TRUE(store.commit(changes));
    const Cursor head{opened->head.value + total};

    int steps = 0;
    while (store.tidy_up().value()) ++steps;
    EXPECT_EQ(steps, 2);
    const Cursor oldest{head.value - kKept};
    EXPECT_TRUE(store.list_events({.after = {oldest.value - 1}})->has_gap);
    EXPECT_EQ(store.list_events({.after = oldest})->events.size(), kKept);
    ASSERT_TRUE(store.commit(std::vector<Change>{make_.notice(session->id)}));
    store.close();
    const auto again = store.open();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->oldest, oldest);
    EXPECT_EQ(again->head.value, head.value + 1);
    EXPECT_EQ(again->sessions.size(), 1U) << "events go, what they told stays";
}

TEST_F(SqliteEngineTest, TheLogIsCopiedWhenIdleAndNeverGrowsFarOverItsBound) {
    CrashVfs disk;
    constexpr std::size_t kMax = 200 * limits::kKiB;
    SqliteEngine store({.path = "/store.db",
                        .vfs = disk.name(),
                        .log_bytes_idle = 100 * limits::kKiB,
                        .log_bytes_max = kMax},
                       clock_);
    ASSERT_TRUE(store.open());
    const SessionPtr session = make_.session();
    ASSERT_TRUE(store.commit(std::vector<Change>{OpenSession{session}}));
    EXPECT_FALSE(store.tidy_up().value());
    const std::size_t before = disk.content("/store.db").size();
    std::size_t longest = 0;
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(store.commit(
            std::vector<Change>{OpenAsk{make_.ask(session->id, {}, std::string(8000, 'x'))}}));
        longest = std::max(longest, disk.content("/store.db-wal").size());
    }
    EXPECT_GT(longest, kMax / 2);
    EXPECT_LT(longest, kMax + 100 * limits::kKiB);
    const std::size_t by_bound = disk.content("/store.db").size();
    EXPECT_GT(by_bound, before) << "copied at the bound";
    std::vector<Change> more;
    for (int i = 0; i < 16; ++i)
        more.emplace_back(OpenAsk{make_.ask(session->id, {}, std::string(8000, 'x'))});
    ASSERT_TRUE(store.commit(more));
    EXPECT_FALSE(store.tidy_up().value());
    EXPECT_GT(disk.content("/store.db").size(), by_bound) << "copied when idle";
}

}  // namespace parley
