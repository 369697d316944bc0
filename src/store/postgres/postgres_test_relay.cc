// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/postgres_test_relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/assert.h"

namespace parley {

namespace {

constexpr int kLookMillis = 5;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT(path.size() < sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    return address;
}

bool write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

PostgresRelay::PostgresRelay(const std::string& url) {
    constexpr std::string_view kHost = "?host=";
    const std::size_t host = url.find(kHost) + kHost.size();
    server_path_ = url.substr(host) + "/.s.PGSQL.5432";
    std::string name = (std::filesystem::temp_directory_path() / "parley-relay-XXXXXX").string();
    ASSERT(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    url_ = url.substr(0, host) + folder_;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(folder_ + "/.s.PGSQL.5432");
    ASSERT(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ASSERT(::listen(listener_, 8) == 0);
    thread_ = std::thread([this] { run(); });
}

PostgresRelay::~PostgresRelay() {
    is_stopping_ = true;
    thread_.join();
    for (const Pair& pair : pairs_) {
        ::close(pair.client);
        ::close(pair.server);
    }
    ::close(listener_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void PostgresRelay::run() {
    while (!is_stopping_) {
        std::vector<pollfd> places = {{.fd = listener_, .events = POLLIN, .revents = 0}};
        for (const Pair& pair : pairs_) {
            places.push_back({.fd = pair.client, .events = POLLIN, .revents = 0});
            const short wanted = is_held_ ? short{0} : short{POLLIN};
            places.push_back({.fd = pair.server, .events = wanted, .revents = 0});
        }
        ::poll(places.data(), places.size(), kLookMillis);
        std::vector<Pair> kept;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            Pair& pair = pairs_[i];
            bool is_open = true;
            if (places[2 * i + 1].revents != 0) is_open = pass_to_server(pair);
            if (is_open && (places[2 * i + 2].revents & POLLIN) != 0 && !is_held_)
                is_open = pass_to_client(pair);
            if (is_open) {
                kept.push_back(pair);
            } else {
                ::close(pair.client);
                ::close(pair.server);
            }
        }
        pairs_ = std::move(kept);
        if (places[0].revents != 0) accept_one();
    }
}

void PostgresRelay::accept_one() {
    const int client = ::accept(listener_, nullptr, nullptr);
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(server_path_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        pairs_.push_back({client, server});
        return;
    }
    ::close(client);
    ::close(server);
}

// The word is sent once on a connection, when the statement is prepared.
bool PostgresRelay::pass_to_server(Pair& pair) {
    std::array<char, 65536> buffer = {};
    const auto size = ::recv(pair.client, buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (bytes.find("COMMIT") != std::string_view::npos) {
        const Deed deed = deed_.exchange(Deed::none);
        pair.is_cut = deed == Deed::cut;
        if (deed == Deed::hold) is_held_ = true;
    }
    return write_all(pair.server, bytes);
}

bool PostgresRelay::pass_to_client(Pair& pair) {
    std::array<char, 65536> buffer = {};
    const auto size = ::recv(pair.server, buffer.data(), buffer.size(), 0);
    // The answer is there, so the server has done it.
    if (size <= 0 || pair.is_cut) return false;
    sent_to_client_ += static_cast<std::uint64_t>(size);
    return write_all(pair.client, {buffer.data(), static_cast<std::size_t>(size)});
}

}  // namespace parley
