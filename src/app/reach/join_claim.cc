// SPDX-License-Identifier: Apache-2.0
#include "app/reach/join_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>

#include "app/serve/state_folder.h"
#include "core/text_rules.h"

namespace parley::app {

namespace {

std::filesystem::path file_of(const JoinClaim::Place& place) {
    const std::string both = fmt::format("{}\n{}", place.broker, place.codex.string());
    return place.folder / fmt::format("join-codex-{:016x}.lock", std::hash<std::string>()(both));
}

std::string read_holder(int file) {
    std::array<char, 32> text{};
    const ssize_t bytes = ::pread(file, text.data(), text.size(), 0);
    const std::string_view name(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return std::string(trim_blanks(name));
}

// Only for people: the lock decides.
void write_holder(int file) {
    const std::string text = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file, 0) == 0 && ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

Result<JoinClaim> JoinClaim::take(const Place& place) {
    CHECK_OK(make_state_folder(place.folder));
    const std::filesystem::path path = file_of(place);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return reject(ErrorCode::unavailable, "cannot open {}: {}", path.string(),
                      std::strerror(errno));
    JoinClaim claim(file);
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
        write_holder(file);
        return claim;
    }
    const std::string holder = read_holder(file);
    return reject(
        ErrorCode::conflict,
        "{} has joined Codex for this broker already, and one is enough; stop that one "
        "first, if it is to be this one",
        holder.empty() ? std::string("another process") : fmt::format("process {}", holder));
}

JoinClaim::~JoinClaim() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace parley::app
