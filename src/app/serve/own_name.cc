// SPDX-License-Identifier: Apache-2.0
#include "app/serve/own_name.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "app/serve/listen_address.h"

namespace parley::app {

namespace {

using Words = std::vector<std::string>;

// The words of each line that says something.
std::vector<Words> lines_of(const std::string& text) {
    std::vector<Words> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        Words found;
        for (std::string word; words >> word;) found.push_back(std::move(word));
        if (!found.empty()) lines.push_back(std::move(found));
    }
    return lines;
}

bool is_in_hosts(std::string_view name, const std::string& hosts) {
    return std::ranges::any_of(lines_of(hosts), [&](const Words& words) {
        return std::find(words.begin() + 1, words.end(), name) != words.end();
    });
}

// Those of systemd know all names that end so; what stands before them is asked first.
bool is_switched_here(const std::string& name_switch) {
    for (const Words& words : lines_of(name_switch)) {
        if (words.front() != "hosts:") continue;
        const auto end = std::ranges::find(words, "dns");
        return std::find(words.begin(), end, "myhostname") != end ||
               std::find(words.begin(), end, "resolve") != end;
    }
    return false;
}

bool is_resolver_here(const std::string& resolver) {
    bool has_any = false;
    for (const Words& words : lines_of(resolver)) {
        if (words.size() < 2 || words.front() != "nameserver") continue;
        if (!is_loopback(words[1])) return false;
        has_any = true;
    }
    return has_any;
}

bool is_loopback(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        return (ntohl(v4.sin_addr.s_addr) >> 24U) == 127U;
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    return address.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

std::string read(const char* path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

bool is_answered_here(std::string_view name, const ResolverFiles& files) {
    return is_in_hosts(name, files.hosts) || is_switched_here(files.name_switch) ||
           is_resolver_here(files.resolver);
}

bool has_own_name() {
    const ResolverFiles files{.hosts = read("/etc/hosts"),
                              .name_switch = read("/etc/nsswitch.conf"),
                              .resolver = read("/etc/resolv.conf")};
    if (!is_answered_here(kOwnName, files)) return false;
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string name(kOwnName);
    if (::getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) return false;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next)
        if (!is_loopback(*one->ai_addr)) return false;
    return found != nullptr;
}

}  // namespace parley::app
