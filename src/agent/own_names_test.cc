// SPDX-License-Identifier: Apache-2.0
#include "agent/own_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "agent/limits.h"

namespace parley {
namespace {

constexpr SessionId kOne{IdBits{1, 1}};
constexpr SessionId kOther{IdBits{1, 2}};

class OwnNamesTest : public ::testing::Test {
protected:
    OwnNamesTest() { std::filesystem::create_directories(folder_); }
    ~OwnNamesTest() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("parley-names-" + std::to_string(::getpid()));
};

TEST_F(OwnNamesTest, TheNewestNameOfEachSessionIsFoundByTheNextRun) {
    const OwnNames names(folder_);
    EXPECT_FALSE(names.find(kOne));
    ASSERT_TRUE(names.keep(kOne, "thread-1"));
    ASSERT_TRUE(names.keep(kOther, "thread-2"));
    ASSERT_TRUE(names.keep(kOne, "thread-3"));
    EXPECT_EQ(OwnNames(folder_).find(kOne)->name, "thread-3");
    EXPECT_EQ(OwnNames(folder_).find(kOther)->name, "thread-2");
}

TEST_F(OwnNamesTest, SinceWhenItIsCalledSoDoesNotChangeWithTheSameName) {
    const OwnNames names(folder_);
    ASSERT_TRUE(names.keep(kOne, "thread-1"));
    const auto begun = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(folder_ / kOne.str(), begun);
    const Instant since = names.find(kOne)->since;
    ASSERT_TRUE(names.keep(kOne, "thread-1"));
    EXPECT_EQ(names.find(kOne)->since, since);
    ASSERT_TRUE(names.keep(kOne, "thread-2"));
    EXPECT_GT(names.find(kOne)->since, since);
}

TEST_F(OwnNamesTest, OneThatIsTooLongOrCannotBeKeptIsSaid) {
    EXPECT_TRUE(OwnNames(folder_).keep(kOne, std::string(limits::kOwnNameBytes, 'x')));
    EXPECT_FALSE(OwnNames(folder_).keep(kOne, std::string(limits::kOwnNameBytes + 1, 'x')));
    EXPECT_FALSE(OwnNames(folder_ / "gone").keep(kOne, "thread-1"));
}

TEST_F(OwnNamesTest, WithoutAFolderNothingIsKept) {
    const OwnNames nowhere({});
    EXPECT_TRUE(nowhere.keep(kOne, "thread-1"));
    EXPECT_FALSE(nowhere.find(kOne));
}

}  // namespace
}  // namespace parley
