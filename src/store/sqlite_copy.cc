// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "store/limits.h"

namespace parley::sqlite {

namespace {

Rejection cannot(std::string_view verb, const std::string& path) {
    const int code = errno;
    return reject(ErrorCode::unavailable,
                  "cannot {} a copy of the store beside it ({}): {}. To fix it: free space on that "
                  "file system, and make the folder writable",
                  verb, path, std::strerror(code));
}

// One that fills the disk would keep commits from it.
Result<void> check_room(const std::string& path) {
    std::uint64_t needed = limits::kSqliteLogBytesMax;
    for (const char* suffix : {"", "-wal"}) {
        struct stat file = {};
        if (::stat((path + suffix).c_str(), &file) == 0)
            needed += static_cast<std::uint64_t>(file.st_size);
    }
    struct statvfs disk = {};
    if (::statvfs(path.c_str(), &disk) != 0) return cannot("make", path);
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (free >= needed) return {};
    return reject(
        ErrorCode::unavailable,
        "there is no room for a copy of the store beside it ({}): it needs {} MiB, and {} "
        "MiB are free. To fix it: free space on that file system",
        path, needed / limits::kMiB, free / limits::kMiB);
}

}  // namespace

Result<std::unique_ptr<Copy>> Copy::begin(const Connection& source, const std::string& path) {
    CHECK_OK(check_room(path));
    std::string name = path + ".copy-XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return cannot("make", name);
    std::unique_ptr<Copy> copy(new Copy(name, descriptor));
    auto target = Connection::open({.path = name});
    // Without a journal on the disk nothing is needed beside it, and its name can go first.
    auto set = target ? target->exec(
                            "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; "
                            "PRAGMA locking_mode=EXCLUSIVE")
                      : Result<void>();
    ::unlink(name.c_str());
    if (!target) return reject(std::move(target).error());
    if (!set) return reject(std::move(set).error());
    copy->target_.emplace(std::move(*target));
    copy->backup_.reset(
        sqlite3_backup_init(copy->target_->handle(), "main", source.handle(), "main"));
    if (!copy->backup_)
        return reject(copy->target_->error(sqlite3_errcode(copy->target_->handle())));
    return copy;
}

Copy::~Copy() {
    backup_.reset();
    target_.reset();
    ::close(descriptor_);
}

Result<CopyState> Copy::step() {
    if (state_.is_whole) return state_;
    const int code = sqlite3_backup_step(backup_.get(), limits::kSqliteCopyPages);
    if (code != SQLITE_OK && code != SQLITE_DONE) return reject(target_->error(code));
    const auto pages = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup_.get()));
    const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(backup_.get()));
    state_.total = pages * kPageSize;
    state_.bytes = (pages - left) * kPageSize;
    if (code == SQLITE_OK) return state_;
    const int ended = sqlite3_backup_finish(backup_.release());
    if (ended != SQLITE_OK) return reject(target_->error(ended));
    target_.reset();
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) return cannot("find", path_);
    state_.bytes = state_.total = static_cast<std::uint64_t>(status.st_size);
    state_.is_whole = true;
    return state_;
}

Result<std::string> Copy::read(std::uint64_t offset, std::size_t size) const {
    if (!state_.is_whole) return reject(ErrorCode::conflict, "the copy is not whole yet");
    std::string bytes(size, '\0');
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0) return cannot("read", path_);
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

}  // namespace parley::sqlite
