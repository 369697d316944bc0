// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "agent/limits.h"
#include "base/overload.h"

namespace parley {

Rejection JournalFile::cannot(std::string_view what) const {
    return reject(ErrorCode::unavailable, "cannot {} the conversation in {}: {}", what, path_,
                  std::strerror(errno));
}

Result<JournalFile> JournalFile::create(const std::filesystem::path& path) {
    const int fd =
        ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    JournalFile file(fd, path.string());
    if (fd < 0 && errno == EEXIST)
        return reject(ErrorCode::conflict, "a session of this name was run before");
    if (fd < 0) return file.cannot("keep");
    CHECK_OK(file.lock());
    // The name must outlive a loss of power too.
    const int folder = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)::fsync(folder);
        ::close(folder);
    }
    return file;
}

Result<JournalFile> JournalFile::open(const std::filesystem::path& path, Kept& kept) {
    JournalFile file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC), path.string());
    if (file.fd_ < 0 && errno == ENOENT)
        return reject(ErrorCode::not_found, "there is no conversation in {}", path.string());
    if (file.fd_ < 0) return file.cannot("open");
    CHECK_OK(file.lock());
    CHECK_OK(file.read(kept));
    return file;
}

JournalFile::JournalFile(JournalFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

JournalFile::~JournalFile() {
    if (fd_ >= 0) ::close(fd_);
}

Result<void> JournalFile::lock() const {
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
    if (errno == EWOULDBLOCK)
        return reject(ErrorCode::conflict, "this session is being run by another process already");
    return cannot("lock");
}

// What a crash left of the last line never was.
Result<void> JournalFile::read(Kept& kept) {
    std::string text;
    std::array<char, 65'536> buffer{};
    for (ssize_t size = 1; size != 0;) {
        size = ::read(fd_, buffer.data(), buffer.size());
        if (size < 0) return cannot("read");
        text.append(buffer.data(), static_cast<std::size_t>(size));
        if (text.size() > limits::kLlmJournalBytes)
            return reject(ErrorCode::too_large, "the conversation in {} is too long", path_);
    }
    std::size_t number = 0;
    std::string_view rest = text;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        ++number;
        auto line = llm::read_line(rest.substr(0, end));
        if (!line)
            return reject(ErrorCode::corrupt, "line {} of {} cannot be read: {}", number, path_,
                          line.error().message);
        rest.remove_prefix(end + 1);
        std::visit(Overload{
                       [&](llm::ModelProfile& profile) { kept.profile = std::move(profile); },
                       [&](llm::Entry& entry) { kept.conversation.add(std::move(entry)); },
                   },
                   *line);
    }
    const auto whole = static_cast<off_t>(text.size() - rest.size());
    if (!rest.empty() && ::ftruncate(fd_, whole) != 0) return cannot("mend");
    return {};
}

Result<void> JournalFile::append(const llm::JournalLine& line) {
    std::string text = llm::write_line(line) + "\n";
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t size = ::write(fd_, rest.data(), rest.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return cannot("keep");
        rest.remove_prefix(static_cast<std::size_t>(size));
    }
    if (::fdatasync(fd_) != 0) return cannot("keep");
    return {};
}

}  // namespace parley
