// SPDX-License-Identifier: Apache-2.0
#include "base/private_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace parley {
namespace {

using testing::HasSubstr;

class PrivateFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "parley-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string file(mode_t mode) const {
        std::string path = (folder_ / "file").string();
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        EXPECT_EQ(::fchmod(descriptor, mode), 0);
        ::close(descriptor);
        return path;
    }
    static mode_t mode_of(const std::string& path) {
        struct stat status = {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
    }

    std::filesystem::path folder_;
};

// What others could do with the file, they cannot any more, and that is said.
TEST_F(PrivateFileTest, TakesTheRightsOfOthers) {
    for (const mode_t mode : {0644U, 0660U, 0602U, 0601U}) {
        const std::string path = file(mode);
        const auto made = make_private(path);
        ASSERT_TRUE(made) << made.error().message;
        EXPECT_TRUE(*made);
        EXPECT_EQ(mode_of(path), 0600U);
    }
}

// Nothing is to be said of files that are in order, or not there, or none.
TEST_F(PrivateFileTest, LeavesOthersAlone) {
    const std::string path = file(0600);
    EXPECT_FALSE(*make_private(path));
    EXPECT_FALSE(*make_private((folder_ / "missing").string()));
    EXPECT_FALSE(*make_private(folder_.string()));
    const std::string link = (folder_ / "link").string();
    ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
    EXPECT_FALSE(*make_private(link));
}

// Also where root could use it: what root writes beside it, its owner could not read any more.
TEST_F(PrivateFileTest, RefusesWhatBelongsToAnotherUser) {
    const std::string path = file(0600);
    constexpr uid_t kNobody = 65534;
    if (::chown(path.c_str(), kNobody, static_cast<gid_t>(-1)) != 0)
        GTEST_SKIP() << "only root can give files away";
    const auto made = make_private(path);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::denied);
    EXPECT_THAT(made.error().message, HasSubstr(path + " belongs to "));
    EXPECT_THAT(made.error().message, HasSubstr("uid 65534"));
    EXPECT_THAT(made.error().message, HasSubstr("chown 0 " + path));
    EXPECT_FALSE(check_ours(path));
    EXPECT_TRUE(check_ours((folder_ / "missing").string()));
}

}  // namespace
}  // namespace parley
