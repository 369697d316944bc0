// SPDX-License-Identifier: Apache-2.0
#include "client/broker_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "client/limits.h"

namespace parley {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSocketName = "parley.sock";

bool is_own_socket(const fs::path& path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode) &&
           status.st_uid == ::geteuid();
}

// The text of a file that nobody else can have written.
std::optional<std::string> read_own_file(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return std::nullopt;
    struct stat status{};
    std::array<char, limits::kPlaceMarkBytes + 1> buffer{};
    const bool is_own = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                        status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    const ssize_t size = is_own ? ::read(fd, buffer.data(), buffer.size()) : -1;
    ::close(fd);
    if (size <= 0 || size > static_cast<ssize_t>(limits::kPlaceMarkBytes)) return std::nullopt;
    return std::string(buffer.data(), static_cast<std::size_t>(size));
}

std::optional<fs::path> marked_socket(const fs::path& state_folder) {
    auto text = read_own_file(place_mark_file(state_folder));
    if (!text || !text->ends_with('\n') || !text->starts_with('/')) return std::nullopt;
    text->pop_back();
    return fs::path(*text);
}

// A login's folder for sockets, where the environment does not name it. Only for whoever is at
// home: another HOME means another set of brokers.
std::optional<fs::path> login_socket(const Environment& environment) {
    if (environment.find("XDG_RUNTIME_DIR")) return std::nullopt;
    const passwd* account = ::getpwuid(::geteuid());
    if (account == nullptr || environment.find("HOME") != account->pw_dir) return std::nullopt;
    return fs::path(fmt::format("/run/user/{}", ::geteuid())) / kSocketName;
}

}  // namespace

fs::path place_mark_file(const fs::path& state_folder) {
    return state_folder / "socket";
}

PlaceMark::PlaceMark(fs::path file, const fs::path& socket) {
    std::error_code error;
    const std::string text = fs::absolute(socket, error).string() + "\n";
    const std::string beside = fmt::format("{}.{}", file.string(), ::getpid());
    if (error || text.size() > limits::kPlaceMarkBytes) return;
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                          S_IRUSR | S_IWUSR);
    if (fd < 0) return;
    const bool is_written =
        ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    if (!is_written || ::rename(beside.c_str(), file.c_str()) != 0) {
        ::unlink(beside.c_str());
        return;
    }
    file_ = std::move(file);
    text_ = text;
}

PlaceMark::PlaceMark(PlaceMark&& other) noexcept
    : file_(std::exchange(other.file_, {})), text_(std::move(other.text_)) {}

PlaceMark& PlaceMark::operator=(PlaceMark&& other) noexcept {
    if (this == &other) return *this;
    remove();
    file_ = std::exchange(other.file_, {});
    text_ = std::move(other.text_);
    return *this;
}

PlaceMark::~PlaceMark() {
    remove();
}

void PlaceMark::remove() {
    if (!file_.empty() && read_own_file(file_) == text_) ::unlink(file_.c_str());
}

std::vector<fs::path> broker_sockets(const Environment& environment) {
    std::vector<fs::path> sockets;
    if (const auto usual = environment.default_socket()) sockets.push_back(*usual);
    const auto add = [&sockets](const std::optional<fs::path>& socket) {
        if (socket && is_own_socket(*socket) &&
            std::ranges::find(sockets, *socket) == sockets.end())
            sockets.push_back(*socket);
    };
    if (const auto state = environment.state_folder()) {
        add(marked_socket(*state));
        add(*state / kSocketName);
    }
    add(login_socket(environment));
    return sockets;
}

}  // namespace parley
