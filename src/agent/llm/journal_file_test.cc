// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/journal_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace parley {
namespace {

class JournalFileTest : public ::testing::Test {
public:
    ~JournalFileTest() override { std::filesystem::remove_all(folder()); }

protected:
    JournalFileTest() : path_(folder() / "s.jsonl") { std::filesystem::remove(path_); }

    static std::filesystem::path folder() {
        const auto folder = std::filesystem::temp_directory_path() /
                            ("parley-journal-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        return folder;
    }

    std::string text() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    // A conversation of one message.
    void begin() const {
        auto file = JournalFile::create(path_);
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->append(llm::ModelProfile{.api = llm::Api::openai, .model = "m"}));
        ASSERT_TRUE(file->append(llm::Entry(llm::UserSaid{{"hello"}})));
    }

    std::filesystem::path path_;
};

TEST_F(JournalFileTest, BringsBackWhatWasAppendedAndIsForItsOwnerAlone) {
    begin();
    JournalFile::Kept kept;
    auto file = JournalFile::open(path_, kept);
    ASSERT_TRUE(file);
    ASSERT_TRUE(kept.profile);
    EXPECT_EQ(kept.profile->model, "m");
    EXPECT_EQ(kept.conversation.next(), llm::Step::request);
    EXPECT_EQ(std::filesystem::status(path_).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const auto second = JournalFile::create(path_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
}

// Every crash in the middle of a write leaves some of the last line.
TEST_F(JournalFileTest, DropsWhatACrashLeftOfTheLastLine) {
    begin();
    const std::string whole = text();
    const std::size_t last = whole.find('\n') + 1;
    for (std::size_t size = last; size < whole.size(); ++size) {
        std::filesystem::resize_file(path_, size);
        JournalFile::Kept kept;
        {
            auto file = JournalFile::open(path_, kept);
            ASSERT_TRUE(file) << size;
            EXPECT_TRUE(kept.conversation.entries().empty());
            ASSERT_TRUE(file->append(llm::Entry(llm::UserSaid{{"hello"}})));
        }
        ASSERT_EQ(text(), whole) << "what was left does not stay before what comes";
    }
}

TEST_F(JournalFileTest, IsOpenOnceAndNamesALineThatIsNone) {
    begin();
    {
        JournalFile::Kept kept;
        const auto first = JournalFile::open(path_, kept);
        ASSERT_TRUE(first);
        const auto second = JournalFile::open(path_, kept);
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().message, "this session is being run by another process already");
    }
    std::ofstream(path_, std::ios::app) << "{}\n";
    JournalFile::Kept kept;
    const auto damaged = JournalFile::open(path_, kept);
    ASSERT_FALSE(damaged);
    EXPECT_NE(damaged.error().message.find("line 3 of"), std::string::npos);
    const auto missing = JournalFile::open(folder() / "none.jsonl", kept);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace parley
