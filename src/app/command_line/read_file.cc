// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace parley::app {

namespace {

Result<std::string> read_all(int fd, const std::string& name, std::size_t bytes_max) {
    std::string text;
    std::array<char, 16384> chunk = {};
    while (true) {
        const ssize_t count = ::read(fd, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            return reject(ErrorCode::invalid, "cannot read {}: {}", name,
                          std::generic_category().message(errno));
        }
        if (count == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(count));
        if (text.size() > bytes_max) {
            return reject(ErrorCode::invalid, "{} has more than {} bytes, which is the limit", name,
                          bytes_max);
        }
    }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
    if (path == "-") return read_all(STDIN_FILENO, "the standard input", bytes_max);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return reject(ErrorCode::invalid, "cannot read {}: {}", path,
                      std::generic_category().message(errno));
    }
    auto text = read_all(fd, path, bytes_max);
    ::close(fd);
    return text;
}

}  // namespace parley::app
