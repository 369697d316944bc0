// SPDX-License-Identifier: Apache-2.0
// For tests only: a folder of the test's own, removed at its end, and SQL over a store in it that
// nobody has open.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/assert.h"

namespace parley {

class TestFolder {
public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "parley-XXXXXX").string();
        ASSERT(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
    }
    ~TestFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

private:
    std::filesystem::path folder_;
};

// As a program of that format would have left its tables; the format's number is not set.
inline const std::string kBackToFormat6 = "DROP TABLE marks;";
inline const std::string kBackToFormat5 =
    kBackToFormat6 +
    "DROP TABLE filed_events; DROP TABLE filed_settled; DROP TABLE filed_by_asker;"
    "ALTER TABLE asks DROP COLUMN asker; DROP INDEX sessions_ended;";
inline const std::string kBackToFormat4 =
    kBackToFormat5 + "ALTER TABLE tokens DROP COLUMN session;";
inline const std::string kBackToFormat3 =
    kBackToFormat4 +
    "ALTER TABLE tokens DROP COLUMN principal; ALTER TABLE tokens DROP COLUMN person;"
    "ALTER TABLE tokens DROP COLUMN device; ALTER TABLE tokens DROP COLUMN used_ms;"
    "ALTER TABLE drafts RENAME COLUMN record TO answers;";

inline void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
}

// The first column of the first row.
inline std::string ask_sql(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    std::string answer = text != nullptr ? text : "NULL";
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return answer;
}

}  // namespace parley
