// SPDX-License-Identifier: Apache-2.0
// For tests only: stands between an engine and its server, on a Unix socket and a thread of its
// own, and does what a network does at the worst moment: when a commit is on its way.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace parley {

class PostgresRelay {
public:
    // `url` is one of PostgresCluster's.
    explicit PostgresRelay(const std::string& url);
    ~PostgresRelay();
    PostgresRelay(const PostgresRelay&) = delete;
    PostgresRelay& operator=(const PostgresRelay&) = delete;

    std::string url() const { return url_; }

    // The next commit that is prepared on a connection reaches the server, and its answer nobody.
    void lose_next_commit() { deed_ = Deed::cut; }
    // The same, but the answer waits until deliver() is called.
    void hold_next_commit() { deed_ = Deed::hold; }
    void deliver() { is_held_ = false; }
    bool is_holding() const { return is_held_; }
    // In bytes, all in all.
    std::uint64_t sent_to_client() const { return sent_to_client_; }

private:
    enum class Deed : unsigned char { none, cut, hold };
    struct Pair {
        int client;
        int server;
        bool is_cut = false;
    };

    void run();
    void accept_one();
    bool pass_to_server(Pair& pair);
    bool pass_to_client(Pair& pair);

    std::string folder_;
    std::string server_path_;
    std::string url_;
    int listener_ = -1;
    std::vector<Pair> pairs_;
    std::atomic<Deed> deed_ = Deed::none;
    std::atomic<bool> is_held_ = false;
    std::atomic<std::uint64_t> sent_to_client_ = 0;
    std::atomic<bool> is_stopping_ = false;
    std::thread thread_;
};

}  // namespace parley
