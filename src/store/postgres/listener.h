// SPDX-License-Identifier: Apache-2.0
// Hears that other nodes have committed, on a connection and a thread of its own. What it misses
// while it is not connected is found by the Store's own polling. Internal to the PostgreSQL engine.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace parley::postgres {

class Listener {
public:
    // `news` is called on the listener's thread.
    Listener(std::string url, std::function<void()> news);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // What this backend says is no news: it is the engine's own.
    void ignore(int backend) { own_ = backend; }

private:
    void run();
    void listen();
    // Until something is to be done, or it is to stop.
    void pause();

    std::string url_;
    std::function<void()> news_;
    std::atomic<int> own_ = 0;
    std::atomic<bool> is_stopping_ = false;
    int wake_ = -1;  // an eventfd that can be read once it is to stop
    std::thread thread_;
};

}  // namespace parley::postgres
