// SPDX-License-Identifier: Apache-2.0
#include "agent/llm/journal_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace parley {

namespace {

constexpr std::string_view kNameFile = "node";

std::string read_name(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string name;
    std::getline(file, name);
    return name;
}

Rejection cannot_keep(const std::filesystem::path& path) {
    return reject(ErrorCode::unavailable, "cannot keep the name of this node in {}: {}",
                  path.string(), std::strerror(errno));
}

Result<void> write_durably(const std::filesystem::path& path, const std::string& text) {
    const int fd =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return cannot_keep(path);
    const bool is_written =
        ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(fd) == 0;
    if (::close(fd) != 0 || !is_written) return cannot_keep(path);
    return {};
}

// Whole or not there; of two that make it at once, the first one's counts for both.
Result<void> make_name(const std::filesystem::path& path, RandomBits& random) {
    std::filesystem::path fresh = path;
    fresh += fmt::format(".{}", ::getpid());
    CHECK_OK(write_durably(fresh, fmt::format("{:016x}\n", random())));
    const bool is_there = ::link(fresh.c_str(), path.c_str()) == 0 || errno == EEXIST;
    const int why = errno;
    ::unlink(fresh.c_str());
    errno = why;
    if (!is_there) return cannot_keep(path);
    return {};
}

}  // namespace

Result<JournalFolder> JournalFolder::open(std::filesystem::path folder, RandomBits random) {
    const std::filesystem::path path = folder / kNameFile;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) CHECK_OK(make_name(path, random));
    const std::string name = read_name(path);
    if (name.empty())
        return reject(ErrorCode::unavailable,
                      "{} cannot be read, or is empty: it says whose the conversations beside it "
                      "are; bring it back, or remove it to begin without them",
                      path.string());
    return JournalFolder(std::move(folder), "llm:" + name);
}

std::filesystem::path JournalFolder::path_of(SessionId session) const {
    return folder_ / (session.str() + ".jsonl");
}

bool JournalFolder::has(SessionId session) const {
    std::error_code error;
    return std::filesystem::exists(path_of(session), error);
}

Result<JournalFile> JournalFolder::take(SessionId session, JournalFile::Kept& kept) const {
    if (has(session)) return JournalFile::open(path_of(session), kept);
    return JournalFile::create(path_of(session));
}

void JournalFolder::forget(SessionId session) const {
    ::unlink(path_of(session).c_str());
}

}  // namespace parley
