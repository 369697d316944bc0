// SPDX-License-Identifier: Apache-2.0
#include "base/private_file.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace parley {

namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

std::string user_name(uid_t user) {
    std::array<char, 4096> buffer;
    struct passwd entry = {};
    struct passwd* found = nullptr;
    if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return fmt::format("{} (uid {})", found->pw_name, user);
    return fmt::format("uid {}", user);
}

Result<void> check_owner(const struct stat& status, const std::string& path) {
    if (status.st_uid == ::geteuid()) return {};
    return reject(ErrorCode::denied,
                  "{} belongs to {}, and this process runs as {}. To fix it: run Parley as the "
                  "file's owner, name another path, or, if the file is meant to be yours: chown {} "
                  "{}",
                  path, user_name(status.st_uid), user_name(::geteuid()), ::geteuid(), path);
}

}  // namespace

Result<void> check_ours(const std::string& path) {
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return check_owner(status, path);
}

Result<bool> make_private(int descriptor, const std::string& path) {
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0)
        return reject(ErrorCode::unavailable, "cannot look at {}: {}", path, std::strerror(errno));
    CHECK_OK(check_owner(status, path));
    if ((status.st_mode & kOthers) == 0) return false;
    // Some file systems know no rights, and not all of them say so.
    if (::fchmod(descriptor, status.st_mode & S_IRWXU) != 0 || ::fstat(descriptor, &status) != 0 ||
        (status.st_mode & kOthers) != 0) {
        return reject(ErrorCode::denied,
                      "others can read or write {}, and its file system does not let that be "
                      "changed. To fix it: name a path on another one",
                      path);
    }
    return true;
}

Result<bool> make_private(const std::string& path) {
    const int descriptor =
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0) {
        if (errno == ENOENT || errno == ELOOP) return false;
        return reject(ErrorCode::unavailable, "cannot open {}: {}", path, std::strerror(errno));
    }
    struct stat status = {};
    const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    auto made = is_file ? make_private(descriptor, path) : Result<bool>(false);
    ::close(descriptor);
    return made;
}

}  // namespace parley
