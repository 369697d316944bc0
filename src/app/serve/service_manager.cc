// SPDX-License-Identifier: Apache-2.0
#include "app/serve/service_manager.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>

namespace parley::app {

namespace {

constexpr int kFirstHanded = 3;

std::optional<int> number_of(const Environment& environment, std::string_view variable) {
    const auto text = environment.find(variable);
    int value = 0;
    if (!text) return std::nullopt;
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

template <class Address>
Address as(const sockaddr_storage& storage) {
    Address address{};
    std::memcpy(&address, &storage, sizeof(address));
    return address;
}

ListenAddress tcp_address(const sockaddr_storage& storage) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (storage.ss_family == AF_INET) {
        const auto address = as<sockaddr_in>(storage);
        ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
        return {.host = text.data(), .port = ntohs(address.sin_port)};
    }
    const auto address = as<sockaddr_in6>(storage);
    ::inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
    return {.host = text.data(), .port = ntohs(address.sin6_port)};
}

[[nodiscard]] Result<void> add(HandedSockets& handed, int descriptor) {
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
        return reject(ErrorCode::invalid,
                      "LISTEN_FDS tells of descriptor {}, which is no socket: {}", descriptor,
                      std::strerror(errno));
    const bool is_tcp = storage.ss_family == AF_INET || storage.ss_family == AF_INET6;
    if (!is_tcp && storage.ss_family != AF_UNIX)
        return reject(ErrorCode::invalid,
                      "LISTEN_FDS tells of descriptor {}, which is neither TCP nor a local socket",
                      descriptor);
    if (is_tcp ? handed.tcp.has_value() : handed.local.has_value())
        return reject(ErrorCode::invalid,
                      "LISTEN_FDS brings two {} sockets: one TCP socket and one local socket are "
                      "taken",
                      is_tcp ? "TCP" : "local");
    if (is_tcp) {
        handed.tcp = {.descriptor = descriptor, .address = tcp_address(storage)};
    } else {
        handed.local = {.descriptor = descriptor, .path = as<sockaddr_un>(storage).sun_path};
    }
    return {};
}

}  // namespace

Result<HandedSockets> handed_sockets(const Environment& environment) {
    HandedSockets handed;
    if (number_of(environment, "LISTEN_PID") != ::getpid()) return handed;
    const int count = number_of(environment, "LISTEN_FDS").value_or(0);
    for (int i = 0; i < count; ++i) CHECK_OK(add(handed, kFirstHanded + i));
    return handed;
}

void tell_ready(const Environment& environment) {
    const auto path = environment.find("NOTIFY_SOCKET");
    sockaddr_un address{};
    if (!path || path->size() >= sizeof(address.sun_path)) return;
    address.sun_family = AF_UNIX;
    std::ranges::copy(*path, address.sun_path);
    if (path->front() == '@') address.sun_path[0] = '\0';  // a name that is no file
    const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    constexpr std::string_view kReady = "READY=1";
    ::sendto(descriptor, kReady.data(), kReady.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path->size()));
    ::close(descriptor);
}

}  // namespace parley::app
