// SPDX-License-Identifier: Apache-2.0
// Whole stores: from either engine into either, refused, interrupted, damaged.
#include "store/archive/archive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/archive/copy.h"
#include "store/engine_url.h"
#include "store/postgres/postgres_test_cluster.h"
#include "store/random_changes.h"
#include "store/sqlite_engine.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

namespace parley {
namespace {

const CopyProgress kAnyway = [](const ArchiveCounts&) { return Result<void>(); };

class ArchiveTest : public testing::Test {
protected:
    ~ArchiveTest() override {
        for (const std::string& url : databases_) PostgresCluster::shared().drop_database(url);
    }

    std::string sqlite_url(const std::string& name = "store.db") const {
        return "sqlite:" + folder_.path(name);
    }
    std::string postgres_url() {
        return databases_.emplace_back(PostgresCluster::shared().make_database());
    }

    // Sessions, asks, answers, messages, drafts, snoozes, tokens and marks of several people.
    void write_changes(const std::string& url, std::size_t batches) {
        const auto engine = make_engine(url, clock_).value();
        ASSERT_TRUE(engine->open());
        RandomChanges changes(values_);
        for (std::size_t i = 0; i < batches; ++i) ASSERT_TRUE(engine->commit(changes.batch(20)));
    }

    std::unique_ptr<Archive> open(const std::string& url, ArchiveUse use = ArchiveUse::read) {
        auto archive = open_archive(url, use, clock_);
        EXPECT_TRUE(archive) << archive.error().message;
        return archive ? std::move(*archive) : nullptr;
    }

    std::vector<std::string> read_all(const std::string& url) {
        std::vector<std::string> lines;
        const auto counts = export_lines(
            *open(url),
            [&](std::string_view line) -> Result<void> {
                lines.emplace_back(line);
                return {};
            },
            kAnyway);
        EXPECT_TRUE(counts) << counts.error().message;
        return lines;
    }

    Result<ArchiveCounts> fill(const std::string& url, const std::vector<std::string>& lines,
                               const CopyProgress& progress = kAnyway) {
        std::size_t next = 0;
        return import_lines(
            [&](std::string_view& line) -> Result<bool> {
                if (next == lines.size()) return false;
                line = lines[next++];
                return true;
            },
            *open(url, ArchiveUse::fill), progress);
    }

    std::vector<std::string> check(const std::string& url) {
        ArchiveFaults faults;
        const auto archive = open(url);
        EXPECT_TRUE(archive->check(faults));
        EXPECT_TRUE(archive->dump([](const ArchiveRow&) { return Result<void>(); }, &faults));
        return faults.told();
    }

    // All that a broker, and who asks it for lists, would be told.
    std::string describe_store(const std::string& url) {
        const auto engine = make_engine(url, clock_).value();
        auto snapshot = engine->open().value();
        const auto page = engine->list_events({.after = snapshot.oldest, .limit = 100'000}).value();
        const std::vector<SessionPtr> sessions = snapshot.sessions;
        return describe(snapshot) + describe(page.events) +
               describe_lists(sessions, [&](const AskQuery& query) {
                   return engine->list_asks(query).value();
               });
    }

    TestFolder folder_;
    StillClock clock_;
    TestValues values_{7};
    std::vector<std::string> databases_;
};

TEST_F(ArchiveTest, GoesThroughBothEnginesAndBackAsItWas) {
    write_changes(sqlite_url(), 200);
    const auto lines = read_all(sqlite_url());
    ASSERT_GT(lines.size(), 500U);
    const std::string database = postgres_url();
    const auto counts = fill(database, lines);
    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts->all(), lines.size() - 2);
    EXPECT_EQ(read_all(database), lines);

    const auto copied =
        copy_archive(*open(database), *open(sqlite_url("b.db"), ArchiveUse::fill), kAnyway);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_EQ(read_all(sqlite_url("b.db")), lines);
    EXPECT_EQ(describe_store(sqlite_url("b.db")), describe_store(sqlite_url()));
    EXPECT_EQ(describe_store(database), describe_store(sqlite_url()));
}

TEST_F(ArchiveTest, GoesOnWhereItWasFilledFrom) {
    write_changes(sqlite_url(), 50);
    const std::string database = postgres_url();
    ASSERT_TRUE(fill(database, read_all(sqlite_url())));
    ASSERT_TRUE(fill(sqlite_url("b.db"), read_all(database)));
    for (const std::string& url : {sqlite_url(), database, sqlite_url("b.db")}) {
        const auto engine = make_engine(url, clock_).value();
        const auto before = engine->open().value();
        const auto session = std::make_shared<const Session>(*values_.session());
        const auto report = engine->commit(std::vector<Change>{OpenSession{session}}).value();
        ASSERT_EQ(report.events.size(), 1U);
        EXPECT_EQ(report.events.front()->cursor.value, before.head.value + 1);
        EXPECT_EQ(engine->list_events({.after = before.head}).value().events.size(), 1U);
    }
    EXPECT_EQ(check(sqlite_url("b.db")), std::vector<std::string>());
    EXPECT_EQ(check(database), std::vector<std::string>());
}

TEST_F(ArchiveTest, CopiesAnEmptyStore) {
    write_changes(sqlite_url(), 0);
    const auto lines = read_all(sqlite_url());
    EXPECT_EQ(lines.size(), 2U);
    const std::string database = postgres_url();
    ASSERT_TRUE(fill(database, lines));
    EXPECT_EQ(read_all(database), lines);
    ASSERT_TRUE(fill(sqlite_url("b.db"), lines));
    EXPECT_EQ(read_all(sqlite_url("b.db")), lines);
}

TEST_F(ArchiveTest, RefusesAStoreThatHoldsSomething) {
    write_changes(sqlite_url(), 20);
    const auto lines = read_all(sqlite_url());
    const std::string database = postgres_url();
    ASSERT_TRUE(fill(database, lines));
    for (const std::string& url : {sqlite_url(), database}) {
        const auto again = fill(url, lines);
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code, ErrorCode::conflict);
        EXPECT_EQ(read_all(url), lines);
    }
}

TEST_F(ArchiveTest, LeavesNothingOfAnImportThatIsStopped) {
    write_changes(sqlite_url(), 20);
    const auto lines = read_all(sqlite_url());
    const std::string database = postgres_url();
    const CopyProgress stop = [&](const ArchiveCounts& counts) -> Result<void> {
        if (counts.all() < lines.size() / 2) return {};
        return reject(ErrorCode::interrupted, "stopped");
    };
    for (const std::string& url : {sqlite_url("b.db"), database}) {
        const auto stopped = fill(url, lines, stop);
        ASSERT_FALSE(stopped);
        EXPECT_EQ(stopped.error().code, ErrorCode::interrupted);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("b.db")));
    EXPECT_EQ(read_all(database).size(), 2U);
    ASSERT_TRUE(fill(database, lines));
    EXPECT_EQ(read_all(database), lines);
}

TEST_F(ArchiveTest, RefusesWhatIsNoWholeExport) {
    write_changes(sqlite_url(), 20);
    const auto lines = read_all(sqlite_url());
    const auto refused = [&](std::vector<std::string> given) {
        const auto filled = fill(sqlite_url("b.db"), given);
        EXPECT_FALSE(std::filesystem::exists(folder_.path("b.db")));
        return filled ? "taken" : filled.error().message;
    };
    EXPECT_NE(refused({}).find("it is empty"), std::string::npos);
    EXPECT_NE(refused({"hello"}).find("line 1"), std::string::npos);
    EXPECT_NE(refused({lines.begin() + 1, lines.end()}).find("does not begin with its head"),
              std::string::npos);
    EXPECT_NE(refused({lines.begin(), lines.end() - 1}).find("its end is missing"),
              std::string::npos);
    auto one_less = lines;
    one_less.erase(one_less.end() - 2);
    EXPECT_NE(refused(one_less).find("other numbers of rows"), std::string::npos);
    auto twice = lines;
    twice.insert(twice.begin() + 1, lines[1]);
    EXPECT_NE(refused(twice).find("line 3"), std::string::npos);
    auto newer = lines;
    newer[0].replace(newer[0].find("\"format\":1"), 10, "\"format\":2");
    EXPECT_NE(refused(newer).find("format 2"), std::string::npos);
}

TEST_F(ArchiveTest, SaysWhatIsWrongById) {
    write_changes(sqlite_url(), 60);
    EXPECT_EQ(check(sqlite_url()), std::vector<std::string>());
    const std::string path = folder_.path("store.db");
    const std::string ask = ask_sql(path, "SELECT hex(id) FROM asks WHERE state = 1 LIMIT 1");
    const std::string told = "ask " + AskId(IdBits{std::stoull(ask.substr(0, 16), nullptr, 16),
                                                   std::stoull(ask.substr(16), nullptr, 16)})
                                          .str();
    const auto says = [&](const std::string& sql, const std::string& what) {
        std::filesystem::copy_file(path, folder_.path("broken.db"),
                                   std::filesystem::copy_options::overwrite_existing);
        run_sql(folder_.path("broken.db"), sql);
        const auto faults = check(sqlite_url("broken.db"));
        return std::ranges::any_of(
                   faults,
                   [&](const std::string& fault) { return fault.find(what) != std::string::npos; })
                   ? ""
                   : "not said: " + what;
    };
    const std::string where = " WHERE id = x'" + ask + "'";
    EXPECT_EQ(
        says("UPDATE asks SET session = zeroblob(16)" + where, told + ": its session is not there"),
        "");
    EXPECT_EQ(says("DELETE FROM events WHERE type = 2 AND ask = x'" + ask + "'",
                   told + ": the event of its settlement is not there"),
              "");
    EXPECT_EQ(says("DELETE FROM events WHERE type = 2 AND ask = x'" + ask + "'",
                   "the event before it is missing"),
              "");
    EXPECT_EQ(says("UPDATE asks SET spec = '{'" + where, told.substr(4)), "");
    EXPECT_EQ(says("UPDATE asks SET state = 2" + where, told.substr(4)), "");
    EXPECT_EQ(
        says("UPDATE asks SET state = 0" + where, told + ": its state and its settlement disagree"),
        "");
    EXPECT_EQ(says("UPDATE events SET doc = '[' WHERE cursor = (SELECT max(cursor) FROM events "
                   "WHERE type = 4)",
                   "damaged event"),
              "");
}

TEST_F(ArchiveTest, SaysWhatIsWrongInPostgres) {
    write_changes(sqlite_url(), 60);
    const std::string database = postgres_url();
    ASSERT_TRUE(fill(database, read_all(sqlite_url())));
    EXPECT_EQ(check(database), std::vector<std::string>());
    const std::size_t name = database.find("@/") + 2;
    PostgresCluster::shared().run_sql(
        "DELETE FROM parley.events WHERE cursor = (SELECT max(cursor) - 3 FROM parley.events)",
        database.substr(name, database.find('?') - name));
    EXPECT_NE(check(database), std::vector<std::string>());
}

TEST_F(ArchiveTest, ReadsOnlyWhatIsThere) {
    for (const std::string& url : {sqlite_url("none.db"), postgres_url(), std::string("memory:")}) {
        const auto archive = open_archive(url, ArchiveUse::read, clock_);
        EXPECT_FALSE(archive) << url;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("none.db")));
}

}  // namespace
}  // namespace parley
