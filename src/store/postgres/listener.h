// SPDX-License-Identifier: Apache-2.0
// Hears of other nodes' commits while the engine's connection is at rest: waits on a thread of its
// own until the server says something there, and reads nothing itself. The rest belongs to the
// engine's thread. Internal to the PostgreSQL engine.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace parley::postgres {

class Listener {
public:
    // `news` is called on the listener's thread.
    explicit Listener(std::function<void()> news);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Of a connection that was opened, and before it is closed; one at a time.
    void attach(int socket);
    void detach();
    // From now on, or from before, the first that comes is news.
    void listen() const;
    // What comes now is the answer to something that the engine says.
    void pause() const;

private:
    void run();
    void expect(unsigned events) const;

    std::function<void()> news_;
    std::atomic<bool> is_stopping_ = false;
    int wake_ = -1;   // an eventfd that can be read once it is to stop
    int epoll_ = -1;  // has `wake_` and `socket_`
    int socket_ = -1;
    std::thread thread_;
};

}  // namespace parley::postgres
