// SPDX-License-Identifier: Apache-2.0
#include "app/keep/export_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/command_line/console.h"
#include "app/keep/long_work.h"
#include "app/limits.h"
#include "store/limits.h"

namespace parley::app {

namespace {

Rejection cannot(std::string_view verb, const std::string& path) {
    const int code = errno;
    const bool is_full = code == ENOSPC || code == EDQUOT;
    return reject(ErrorCode::denied, "cannot {} {}: {}{}", verb, path, std::strerror(code),
                  is_full ? ". To fix it: free space on its file system" : "");
}

Result<void> write_all(int descriptor, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t size = ::write(descriptor, bytes.data(), bytes.size());
        if (size < 0 && errno == EINTR) {
            CHECK_OK(LongWork::go_on());
            continue;
        }
        if (size < 0) return cannot("write", path);
        bytes.remove_prefix(static_cast<std::size_t>(size));
    }
    return {};
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path) {
    std::string partial = path + ".partial";
    const int descriptor =
        ::open(partial.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return cannot("write", partial);
    return NewFile(path, std::move(partial), descriptor);
}

NewFile::NewFile(std::string path, std::string partial, int descriptor)
    : path_(std::move(path)), partial_(std::move(partial)), descriptor_(descriptor) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!partial_.empty()) ::unlink(partial_.c_str());
}

Result<void> NewFile::write(std::string_view bytes) {
    return write_all(descriptor_, bytes, partial_);
}

// The name as well is on the disk before anybody is told.
Result<void> NewFile::finish() {
    if (::fsync(descriptor_) != 0) return cannot("write", partial_);
    if (::rename(partial_.c_str(), path_.c_str()) != 0) return cannot("make", path_);
    partial_.clear();
    const auto folder = std::filesystem::absolute(path_).parent_path();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return cannot("open", folder.string());
    const bool is_synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return is_synced ? Result<void>() : cannot("write", folder.string());
}

Result<ExportReader> ExportReader::open(const std::string& path) {
    if (path == "-") return ExportReader("standard input", Console::kIn);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return cannot("open", path);
    return ExportReader(path, descriptor);
}

ExportReader::ExportReader(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

ExportReader::ExportReader(ExportReader&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ExportReader::~ExportReader() {
    if (descriptor_ > Console::kErr) ::close(descriptor_);
}

Result<bool> ExportReader::read_more() {
    text_.erase(0, std::exchange(used_, 0));
    const std::size_t size = text_.size();
    text_.resize(size + limits::kFileBytesAtOnce);
    for (;;) {
        CHECK_OK(LongWork::go_on());
        const ssize_t more = ::read(descriptor_, text_.data() + size, limits::kFileBytesAtOnce);
        if (more < 0 && errno == EINTR) continue;
        text_.resize(size + static_cast<std::size_t>(more > 0 ? more : 0));
        if (more < 0) return cannot("read", path_);
        return more > 0;
    }
}

Result<bool> ExportReader::next(std::string_view& line) {
    for (std::size_t seen = used_;;) {
        const std::size_t end = text_.find('\n', seen);
        if (end != std::string::npos) {
            line = std::string_view(text_).substr(used_, end - used_);
            used_ = end + 1;
            return true;
        }
        if (text_.size() - used_ > limits::kExportLineBytes)
            return reject(ErrorCode::too_large, "{} has a line that is longer than {} MiB", path_,
                          limits::kExportLineBytes / limits::kMiB);
        if (is_at_end_) break;
        const std::size_t looked_at = text_.size() - used_;
        TRY(has_more, read_more());
        is_at_end_ = !has_more;
        seen = looked_at;
    }
    // The last one may lack its break.
    line = std::string_view(text_).substr(used_);
    used_ = text_.size();
    return !line.empty();
}

Result<bool> ExportReader::next_bytes(std::string_view& bytes) {
    used_ = text_.size();
    TRY(has_more, read_more());
    bytes = text_;
    return has_more;
}

Result<ExportWriter> ExportWriter::open(const std::string& path) {
    if (path == "-") return ExportWriter(std::nullopt);
    TRY(file, NewFile::create(path));
    return ExportWriter(std::move(file));
}

Result<void> ExportWriter::write(std::string_view line) {
    text_ += line;
    text_ += '\n';
    return text_.size() < limits::kFileBytesAtOnce ? Result<void>() : flush();
}

Result<void> ExportWriter::flush() {
    const std::string text = std::exchange(text_, {});
    return file_ ? file_->write(text) : write_all(Console::kOut, text, "standard output");
}

Result<void> ExportWriter::finish() {
    CHECK_OK(flush());
    return file_ ? file_->finish() : Result<void>();
}

}  // namespace parley::app
