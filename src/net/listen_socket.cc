// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/assert.h"
#include "net/limits.h"
#include "net/listener.h"

namespace parley::net {

namespace {

// Closes a descriptor that did not become a ListenSocket.
class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    int get() const { return value_; }
    int release() { return std::exchange(value_, -1); }

private:
    int value_;
};

std::string bind_advice(int error) {
    switch (error) {
        case EADDRINUSE: return "another program listens there; stop it or choose another port";
        case EACCES: return "ports below 1024 are reserved; choose a higher one";
        case EADDRNOTAVAIL: return "this machine has no such address";
        default: return std::strerror(error);
    }
}

Result<sockaddr_un> unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return reject(ErrorCode::invalid, "the socket path {} must have 1 to {} bytes", path,
                      sizeof(address.sun_path) - 1);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

std::string process_name(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name.empty() ? "unknown" : name;
}

// Fails if somebody serves the socket; otherwise its file is gone afterwards.
Result<void> clear_stale_socket(const sockaddr_un& address, const std::string& path) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) return {};
    if (!S_ISSOCK(info.st_mode)) {
        return reject(ErrorCode::conflict, "{} exists and is not a socket; remove it", path);
    }
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int connected =
        ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    if (connected == 0 || errno == EAGAIN) {
        ucred holder{};
        socklen_t size = sizeof(holder);
        ::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size);
        if (holder.pid <= 0) return reject(ErrorCode::conflict, "{} is in use", path);
        return reject(ErrorCode::conflict, "{} is in use by process {} ({}); stop it first", path,
                      holder.pid, process_name(holder.pid));
    }
    if (errno != ECONNREFUSED) {
        return reject(ErrorCode::conflict, "cannot tell whether {} is in use: {}", path,
                      std::strerror(errno));
    }
    ::unlink(path.c_str());
    return {};
}

// Two servers that start at once must not both find the old socket dead: the folder is locked from
// the look until the new socket listens. A lock that somebody keeps is not worth waiting for.
class FolderLock {
public:
    explicit FolderLock(const std::string& path)
        : folder_(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        constexpr auto kTries = limits::kFolderLockPatience / limits::kFolderLockPoll;
        for (int tries = 0; tries < kTries && folder_.get() >= 0; ++tries) {
            if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0) break;
            ::poll(nullptr, 0, static_cast<int>(limits::kFolderLockPoll.count()));
        }
    }

private:
    static std::string folder_of(const std::string& path) {
        const std::string folder = std::filesystem::path(path).parent_path();
        return folder.empty() ? "." : folder;
    }

    Descriptor folder_;
};

}  // namespace

Result<ListenSocket> ListenSocket::tcp(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int code = ::getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                   std::to_string(port).c_str(), &hints, &list);
    if (code != 0) {
        return reject(ErrorCode::invalid, "cannot listen on {}: {}", host, ::gai_strerror(code));
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, ::freeaddrinfo);
    int error = 0;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
        Descriptor descriptor(
            ::socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int on = 1;
        ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (::bind(descriptor.get(), entry->ai_addr, entry->ai_addrlen) == 0 &&
            ::listen(descriptor.get(), SOMAXCONN) == 0) {
            return ListenSocket(descriptor.release(), entry->ai_family);
        }
        error = errno;
    }
    return reject(ErrorCode::conflict, "cannot listen on {}:{}: {}", host, port,
                  bind_advice(error));
}

Result<ListenSocket> ListenSocket::unix_path(const std::string& path) {
    TRY(address, unix_address(path));
    const FolderLock lock(path);
    CHECK_OK(clear_stale_socket(address, path));
    Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The file takes its mode from the descriptor, so nobody else can ever open it.
    if (::fchmod(descriptor.get(), 0600) != 0 ||
        ::bind(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
            0 ||
        ::chmod(path.c_str(), 0600) != 0 || ::listen(descriptor.get(), SOMAXCONN) != 0) {
        return reject(ErrorCode::conflict, "cannot listen on {}: {}", path, std::strerror(errno));
    }
    ListenSocket socket(descriptor.release(), AF_UNIX);
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0) {
        socket.path_ = path;
        socket.file_ = {info.st_dev, info.st_ino};
    }
    return socket;
}

Result<ListenSocket> ListenSocket::inherited(int descriptor) {
    int listening = 0;
    socklen_t size = sizeof(listening);
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 ||
        listening == 0) {
        return reject(ErrorCode::invalid, "descriptor {} is no listening socket", descriptor);
    }
    sockaddr_storage address{};
    size = sizeof(address);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    return ListenSocket(descriptor, address.ss_family);
}

ListenSocket::ListenSocket(ListenSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      family_(other.family_),
      path_(std::exchange(other.path_, {})),
      file_(std::exchange(other.file_, {})) {}

ListenSocket::~ListenSocket() {
    if (descriptor_ < 0) return;
    struct stat info{};
    if (!path_.empty() && ::lstat(path_.c_str(), &info) == 0 &&
        file_ == std::pair<std::uint64_t, std::uint64_t>(info.st_dev, info.st_ino)) {
        ::unlink(path_.c_str());
    }
    ::close(descriptor_);
}

std::uint16_t ListenSocket::port() const {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    if (address.ss_family == AF_INET) {
        return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
    }
    if (address.ss_family == AF_INET6) {
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
    }
    return 0;
}

}  // namespace parley::net
