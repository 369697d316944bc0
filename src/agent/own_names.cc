// SPDX-License-Identifier: Apache-2.0
#include "agent/own_names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <utility>

#include "agent/limits.h"

namespace parley {

namespace {

bool write_durably(const std::filesystem::path& path, std::string_view text) {
    const int fd =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return false;
    const bool is_written =
        ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(fd) == 0;
    return ::close(fd) == 0 && is_written;
}

}  // namespace

Result<void> OwnNames::keep(SessionId session, std::string_view name) const {
    if (folder_.empty()) return {};
    if (name.size() > limits::kOwnNameBytes)
        return reject(ErrorCode::invalid, "it is longer than {} bytes", limits::kOwnNameBytes);
    if (const auto kept = find(session); kept && kept->name == name) return {};
    const std::filesystem::path path = folder_ / session.str();
    std::filesystem::path fresh = path;
    fresh += ".new";
    if (!write_durably(fresh, name) || ::rename(fresh.c_str(), path.c_str()) != 0)
        return reject(ErrorCode::unavailable, "{}: {}", path.string(), std::strerror(errno));
    return {};
}

std::optional<OwnNames::Kept> OwnNames::find(SessionId session) const {
    if (folder_.empty()) return std::nullopt;
    const std::filesystem::path path = folder_ / session.str();
    struct stat about = {};
    if (::stat(path.c_str(), &about) != 0) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::string name(limits::kOwnNameBytes, '\0');
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    name.resize(static_cast<std::size_t>(file.gcount()));
    if (name.empty()) return std::nullopt;
    return Kept{std::move(name), Instant(std::chrono::seconds(about.st_mtim.tv_sec))};
}

}  // namespace parley
