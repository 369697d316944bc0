// SPDX-License-Identifier: Apache-2.0
#include "app/serve/local_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace parley::app {

namespace {

std::string text_of(const sockaddr* address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
        if (::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size()) == nullptr) return {};
    } else if (address->sa_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
        if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) return {};
        if (::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size()) == nullptr) return {};
    }
    return text.data();
}

}  // namespace

std::vector<std::string> local_addresses() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
    std::vector<std::string> addresses;
    std::vector<std::string> later;
    for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
        const bool is_up = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!is_up || one->ifa_addr == nullptr) continue;
        const std::string text = text_of(one->ifa_addr);
        if (!text.empty())
            (text.find(':') == std::string::npos ? addresses : later).push_back(text);
    }
    addresses.insert(addresses.end(), later.begin(), later.end());
    return addresses;
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string();
}

}  // namespace parley::app
