// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace parley::sqlite {

namespace {

Rejection reject_system(const std::string& path, const char* action, int code) {
    const char* fix = "check the path and the rights of this user";
    if (code == ENOSPC || code == EDQUOT) fix = "free space on its file system";
    if (code == EROFS) fix = "the file system is mounted read-only; name a path on another one";
    return reject(ErrorCode::unavailable, "cannot {} {}: {}. To fix it: {}", action, path,
                  std::strerror(code), fix);
}

Result<void> make_folder(const std::filesystem::path& folder) {
    std::error_code code;
    if (std::filesystem::is_directory(folder, code)) return {};
    if (folder.has_parent_path() && folder.parent_path() != folder)
        CHECK_OK(make_folder(folder.parent_path()));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return reject_system(folder.string(), "create the folder", errno);
    return {};
}

// Whether others could use the file, which they cannot now.
Result<bool> make_file(const std::string& path) {
    // Only a new file gets the mode; the log that SQLite makes beside it inherits it.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (descriptor < 0) return reject_system(path, "open the store", errno);
    struct stat status = {};
    const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    auto mended = is_file ? make_private(descriptor, path) : Result<bool>(false);
    ::close(descriptor);
    if (is_file) return mended;
    return reject(
        ErrorCode::unavailable,
        "cannot open the store {}: it is not a regular file. To fix it: name another path", path);
}

std::string own_name() {
    std::string name;
    std::ifstream("/proc/self/comm") >> name;
    return name.empty() ? "unknown" : name;
}

// What the holder wrote: "pid name".
std::string read_holder(int descriptor) {
    std::array<char, 128> text = {};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    line = line.substr(0, line.find('\n'));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return "another process";
    return fmt::format("process {} ({})", line.substr(0, space), line.substr(space + 1));
}

// The name under which this process still has the file, also where it has no other.
std::optional<std::string> find_descriptor(const FileIdentity& held) {
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", code)) {
        const auto found = identify(entry.path().string());
        if (found && *found == held)
            return fmt::format("/proc/{}/fd/{}", ::getpid(), entry.path().filename().string());
    }
    return std::nullopt;
}

}  // namespace

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileLock> claim_store_file(const std::string& path, const OnMended& on_mended) {
    CHECK_OK(make_folder(std::filesystem::path(path).parent_path()));
    const std::string lock_path = path + ".lock";
    CHECK_OK(check_ours(path));
    CHECK_OK(check_ours(lock_path));
    const int descriptor = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return reject_system(lock_path, "open the lock file", errno);
    FileLock lock(descriptor);

    // A lock of the open file description: unlike a POSIX lock it also keeps out a second store in
    // this process, and is not lost when some other descriptor of the file is closed.
    struct flock claim = {};
    claim.l_type = F_WRLCK;
    claim.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_OFD_SETLK, &claim) != 0) {
        if (errno != EAGAIN && errno != EACCES) return reject_system(lock_path, "lock", errno);
        return reject(ErrorCode::conflict,
                      "the store {} is in use by {}. To fix it: stop that process, or name another "
                      "store",
                      path, read_holder(descriptor));
    }
    const std::string holder = fmt::format("{} {}\n", ::getpid(), own_name());
    const auto size = static_cast<ssize_t>(holder.size());
    if (::ftruncate(descriptor, 0) != 0 ||
        ::pwrite(descriptor, holder.data(), holder.size(), 0) != size)
        return reject_system(lock_path, "write", errno);

    // Under the lock, because closing a descriptor of a file drops SQLite's own locks on it.
    TRY(was_open, make_file(path));
    if (was_open && on_mended) on_mended(path);
    // What a broker that was killed has left.
    for (const std::string_view suffix : {"-wal", "-shm", ".lock"}) {
        const std::string beside = path + std::string(suffix);
        TRY(was_beside_open, make_private(beside));
        if (was_beside_open && on_mended) on_mended(beside);
    }
    return lock;
}

Result<bool> is_held(const std::string& path) {
    const std::string lock_path = path + ".lock";
    const int descriptor = ::open(lock_path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return false;
    if (descriptor < 0) return reject_system(lock_path, "open the lock file", errno);
    const FileLock open(descriptor);
    struct flock claim = {};
    claim.l_type = F_WRLCK;
    claim.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_OFD_GETLK, &claim) != 0)
        return reject_system(lock_path, "look at", errno);
    return claim.l_type != F_UNLCK;
}

Result<FileIdentity> identify(const std::string& path) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) return reject_system(path, "find the store", errno);
    return FileIdentity{.device = status.st_dev,
                        .inode = status.st_ino,
                        .bytes = static_cast<std::uint64_t>(status.st_size)};
}

Result<FileIdentity> check_identity(const std::string& path, const FileIdentity& held) {
    auto found = identify(path);
    if (found && *found == held) return found;
    std::string save;
    if (const auto open = find_descriptor(held))
        save = fmt::format(" What it held can be copied from {} while this process runs.", *open);
    return reject(ErrorCode::unavailable,
                  "the store {} was {} under the running broker, and what would be written now "
                  "would be lost.{} To fix it: put the file back under its name, or stop the "
                  "broker and start it with the store that is to be used",
                  path, found ? "replaced" : "removed", save);
}

Result<std::string> absolute_path(const std::string& path) {
    if (path.empty()) return reject(ErrorCode::invalid, "the path of the store is empty");
    std::error_code code;
    const auto absolute = std::filesystem::absolute(path, code);
    if (code) {
        return reject(ErrorCode::unavailable, "cannot resolve the path {}: {}", path,
                      code.message());
    }
    return absolute.string();
}

}  // namespace parley::sqlite
