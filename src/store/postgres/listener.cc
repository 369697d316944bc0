// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/listener.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/assert.h"

namespace parley::postgres {

Listener::Listener(std::function<void()> news)
    : news_(std::move(news)),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    ASSERT(wake_ >= 0 && epoll_ >= 0);
    epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
    ASSERT(::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) == 0);
    thread_ = std::thread([this] { run(); });
}

Listener::~Listener() {
    is_stopping_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
    thread_.join();
    ::close(epoll_);
    ::close(wake_);
}

void Listener::attach(int socket) {
    detach();
    socket_ = socket;
    epoll_event event{.events = EPOLLONESHOT, .data = {.fd = socket_}};
    ASSERT(::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket_, &event) == 0);
}

void Listener::detach() {
    if (socket_ < 0) return;
    epoll_event event{};
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket_, &event);
    socket_ = -1;
}

void Listener::listen() const {
    expect(EPOLLIN);
}

void Listener::pause() const {
    expect(0);
}

// The kernel looks at once whether there is something already.
void Listener::expect(unsigned events) const {
    if (socket_ < 0) return;
    epoll_event event{.events = events | EPOLLONESHOT, .data = {.fd = socket_}};
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket_, &event);
}

void Listener::run() {
    while (!is_stopping_) {
        epoll_event event{};
        const int count = ::epoll_wait(epoll_, &event, 1, -1);
        ASSERT(count >= 0 || errno == EINTR);
        if (count > 0 && event.data.fd != wake_ && !is_stopping_) news_();
    }
}

}  // namespace parley::postgres
