// SPDX-License-Identifier: Apache-2.0
// Files of lines: read one by one, and written so that a file is there whole or not at all. Blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace parley::app {

// A file that replaces what has its name once it is whole, for its owner alone. One that goes
// before that leaves nothing.
class NewFile {
public:
    [[nodiscard]] static Result<NewFile> create(const std::string& path);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();

    [[nodiscard]] Result<void> write(std::string_view bytes);
    // On the disk, and under its name.
    [[nodiscard]] Result<void> finish();

private:
    NewFile(std::string path, std::string partial, int descriptor);

    std::string path_;
    std::string partial_;
    int descriptor_;
};

class ExportReader {
public:
    // "-" is stdin.
    [[nodiscard]] static Result<ExportReader> open(const std::string& path);
    ExportReader(ExportReader&& other) noexcept;
    ExportReader& operator=(ExportReader&&) = delete;
    ~ExportReader();

    // The next one without its break; false at the end. It lives until the next call.
    [[nodiscard]] Result<bool> next(std::string_view& line);
    // The next few, whatever they are; for those who want no lines.
    [[nodiscard]] Result<bool> next_bytes(std::string_view& bytes);

private:
    explicit ExportReader(std::string path, int descriptor);
    [[nodiscard]] Result<bool> read_more();

    std::string path_;
    int descriptor_;
    std::string text_;
    std::size_t used_ = 0;
    bool is_at_end_ = false;
};

class ExportWriter {
public:
    // "-" is stdout.
    [[nodiscard]] static Result<ExportWriter> open(const std::string& path);

    [[nodiscard]] Result<void> write(std::string_view line);
    [[nodiscard]] Result<void> finish();

private:
    explicit ExportWriter(std::optional<NewFile> file) : file_(std::move(file)) {}
    [[nodiscard]] Result<void> flush();

    std::optional<NewFile> file_;  // none: stdout
    std::string text_;
};

}  // namespace parley::app
