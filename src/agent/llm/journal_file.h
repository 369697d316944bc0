// SPDX-License-Identifier: Apache-2.0
// The conversation of a session in a file of its own: each line is on the disk before anything
// rests on it. The broker's log has what people see; what a model must be sent again is more than
// that (a thought and its signature, which call belongs to which reply), and is kept here. One
// process at a time has it open. Blocks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "dialect/llm/conversation.h"
#include "dialect/llm/journal.h"

namespace parley {

class JournalFile {
public:
    // What of it was there.
    struct Kept {
        std::optional<llm::ModelProfile> profile = {};
        llm::ModelConversation conversation = {};
    };

    // A new one must not be there, an old one must.
    [[nodiscard]] static Result<JournalFile> create(const std::filesystem::path& path);
    [[nodiscard]] static Result<JournalFile> open(const std::filesystem::path& path, Kept& kept);

    JournalFile(JournalFile&& other) noexcept;
    JournalFile& operator=(JournalFile&&) = delete;
    ~JournalFile();

    // Durable when it returns.
    [[nodiscard]] Result<void> append(const llm::JournalLine& line);

private:
    JournalFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
    [[nodiscard]] Result<void> lock() const;
    [[nodiscard]] Result<void> read(Kept& kept);
    [[nodiscard]] Rejection cannot(std::string_view what) const;

    int fd_;
    std::string path_;
};

}  // namespace parley
