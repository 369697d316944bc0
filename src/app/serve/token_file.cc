// SPDX-License-Identifier: Apache-2.0
#include "app/serve/token_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/limits.h"
#include "net/secret.h"

namespace parley::app {

namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

Rejection cannot(std::string_view what, const std::filesystem::path& path) {
    return reject(ErrorCode::unavailable, "cannot {} the token file {}: {}", what, path.string(),
                  std::strerror(errno));
}

Result<std::string> make(const std::filesystem::path& path) {
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.get() < 0) return cannot("create", path);
    std::string secret = net::random_secret();
    const std::string line = secret + "\n";
    const auto written = ::write(file.get(), line.data(), line.size());
    if (written != static_cast<ssize_t>(line.size()) || ::fsync(file.get()) != 0)
        return cannot("write", path);
    return secret;
}

}  // namespace

Result<std::string> read_or_make_token(const std::filesystem::path& path,
                                       const OnMended& on_mended) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 && errno == ENOENT) return make(path);
    if (file.get() < 0) return cannot("read", path);
    TRY(was_open, make_private(file.get(), path.string()));
    if (was_open && on_mended) on_mended(path.string());
    std::array<char, 4096> buffer{};
    const auto size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) return cannot("read", path);
    std::string secret(buffer.data(), static_cast<std::size_t>(size));
    while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.pop_back();
    if (secret.size() < limits::kOwnTokenCharsMin ||
        secret.find_first_of(" \t\n\r") != std::string::npos)
        return reject(ErrorCode::invalid,
                      "the token file {} must hold one line of at least {} characters without "
                      "blanks; remove it to have one made",
                      path.string(), limits::kOwnTokenCharsMin);
    return secret;
}

}  // namespace parley::app
