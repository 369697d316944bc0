// SPDX-License-Identifier: Apache-2.0
// A copy that is made while the store is written to.
#include "store/sqlite_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/random_changes.h"
#include "store/sqlite_engine.h"
#include "store/sqlite_test_folder.h"
#include "store/test_values.h"

namespace parley {
namespace {

class SqliteCopyTest : public testing::Test {
protected:
    SqliteCopyTest() { EXPECT_TRUE(engine_.open()); }

    void commit(std::size_t batches) {
        for (std::size_t i = 0; i < batches; ++i) ASSERT_TRUE(engine_.commit(changes_.batch(20)));
    }
    void write_out(const std::string& path) {
        std::ofstream file(path, std::ios::binary);
        for (std::uint64_t offset = 0;;) {
            const std::string bytes = engine_.read_copy(offset, 10'000).value();
            if (bytes.empty()) return;
            file << bytes;
            offset += bytes.size();
        }
    }
    static std::string describe_all(SqliteEngine& engine) {
        engine.close();
        const Snapshot snapshot = engine.open().value();
        return describe(snapshot) +
               describe(
                   engine.list_events({.after = snapshot.oldest, .limit = 100'000}).value().events);
    }

    TestFolder folder_;
    StillClock clock_;
    TestValues values_;
    RandomChanges changes_{values_};
    SqliteEngine engine_{{.path = folder_.path("store.db")}, clock_};
};

TEST_F(SqliteCopyTest, HasWhatIsCommittedBetweenItsSlices) {
    commit(600);
    ASSERT_TRUE(engine_.begin_copy());
    int slices = 0;
    for (CopyState state; !state.is_whole; ++slices) {
        state = engine_.copy_slice().value();
        EXPECT_LE(state.bytes, state.total);
        if (!state.is_whole) commit(1);
        if (slices % 3 == 0) EXPECT_TRUE(engine_.tidy_up());
    }
    EXPECT_GT(slices, 1);
    write_out(folder_.path("copy.db"));
    const std::string then = describe_all(engine_);
    SqliteEngine copy({.path = folder_.path("copy.db")}, clock_);
    ASSERT_TRUE(copy.open());
    EXPECT_EQ(describe_all(copy), then);
    copy.close();
    EXPECT_EQ(ask_sql(folder_.path("copy.db"), "PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteCopyTest, IsOneAtATimeAndLeavesNothingBesideTheStore) {
    commit(5);
    const auto files = [&] {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path("")))
            if (entry.path().string().find("copy") != std::string::npos)
                names.push_back(entry.path().string());
        return names;
    };
    EXPECT_EQ(engine_.copy_slice().error().code, ErrorCode::not_found);
    ASSERT_TRUE(engine_.begin_copy());
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(engine_.begin_copy().error().code, ErrorCode::conflict);
    EXPECT_EQ(engine_.read_copy(0, 10).error().code, ErrorCode::conflict);
    engine_.drop_copy();
    ASSERT_TRUE(engine_.begin_copy());
    engine_.close();
    EXPECT_FALSE(engine_.copy_slice());
    EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace parley
