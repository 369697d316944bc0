// SPDX-License-Identifier: Apache-2.0
#include "net/server_core.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <utility>

#include "net/connection.h"
#include "net/limits.h"
#include "net/websocket_peer.h"

namespace parley::net {

ServerCore::ServerCore(Loop& owner, Router& routes, HttpServerOptions given)
    : loop(owner),
      router(routes),
      limits(given.limits),
      held(std::make_shared<HeldTotal>(HeldTotal{.bytes_max = limits.held_bytes})),
      first_request(static_cast<std::uint64_t>(std::random_device{}()) << 32U),
      read_buffer(limits::kReadBytes),
      on_trouble_(std::move(given.on_trouble)) {
    refresh_date();
}

void ServerCore::refresh_date() {
    const auto seconds = static_cast<std::time_t>(
        std::chrono::floor<std::chrono::seconds>(loop.clock().wall()).time_since_epoch().count());
    date = fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", fmt::gmtime(seconds));
}

void ServerCore::add(Connection& connection) {
    connection.place_ = connections.size();
    connections.push_back(&connection);
    counts.connections = connections.size();
    ++counts.accepted_total;
}

void ServerCore::remove(Connection& connection) {
    if (!connection.place_) return;
    const std::size_t place = *std::exchange(connection.place_, std::nullopt);
    if (place + 1 != connections.size()) {
        connections[place] = connections.back();
        connections[place]->place_ = place;
    }
    connections.pop_back();
    counts.connections = connections.size();
    if (connections.empty() && on_empty) loop.post(std::exchange(on_empty, {}));
}

void ServerCore::flush_later(std::shared_ptr<Connection> connection) {
    if (std::exchange(connection->dirty_, true)) return;
    if (dirty_.empty()) loop.post([self = shared_from_this()] { self->flush_dirty(); });
    dirty_.push_back(std::move(connection));
}

void ServerCore::flush_dirty() {
    const auto batch = std::exchange(dirty_, {});
    for (const auto& connection : batch) {
        connection->dirty_ = false;
        connection->flush();
    }
}

void ServerCore::report(Trouble::Kind kind, std::string_view detail, const Peer* peer) {
    if (on_trouble_ && !stopped) on_trouble_({.kind = kind, .detail = detail, .peer = peer});
}

// From the back, since a connection that ends takes the last one's place in front of it.
void ServerCore::sweep() {
    refresh_date();
    const Mono now = loop.now();
    for (std::size_t i = connections.size(); i-- > 0;) {
        if (i < connections.size()) connections[i]->shared_from_this()->tick(now);
    }
    if (held->is_full()) relieve(now);
}

// Those who have not moved for longest make room for the others.
void ServerCore::relieve(Mono now) {
    std::vector<std::pair<Mono, std::shared_ptr<Connection>>> waiting;
    for (Connection* connection : connections) {
        const auto since = connection->waits_since();
        if (since && now - *since >= limits.held_patience && connection->held_bytes() > 0) {
            waiting.emplace_back(*since, connection->shared_from_this());
        }
    }
    std::ranges::sort(waiting, {}, [](const auto& entry) { return entry.first; });
    std::size_t cut = 0;
    for (; cut < waiting.size() && held->is_full(); ++cut) waiting[cut].second->give_up();
    if (cut == 0) return;
    report(Trouble::Kind::short_of_memory,
           fmt::format("{} connections that did not read or send on were cut", cut), nullptr);
}

void ServerCore::begin_drain() {
    draining = true;
    for (std::size_t i = connections.size(); i-- > 0;) {
        if (i < connections.size()) connections[i]->shared_from_this()->begin_drain();
    }
}

void ServerCore::cut_where(const std::function<bool(const void* principal)>& is_over) {
    for (std::size_t i = connections.size(); i-- > 0;) {
        if (i >= connections.size()) continue;
        const auto connection = connections[i]->shared_from_this();
        const void* principal = connection->principal();
        if (principal == nullptr || !connection->is_unanswered() || !is_over(principal)) continue;
        // A socket whose owner has begun to close it says why.
        const auto session = connection->session_.lock();
        if (session && !session->is_open()) continue;
        connection->cut(StreamEnd::server_stopped);
    }
}

void ServerCore::cut_all() {
    while (!connections.empty()) {
        connections.back()->shared_from_this()->cut(StreamEnd::server_stopped);
    }
    // The loop may never come to its end of turn: they would keep this, and this them.
    dirty_.clear();
}

}  // namespace parley::net
