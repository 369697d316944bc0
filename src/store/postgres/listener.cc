// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/assert.h"
#include "store/limits.h"
#include "store/postgres/connection.h"
#include "store/postgres/limits.h"

namespace parley::postgres {

Listener::Listener(std::string url, std::function<void()> news)
    : url_(std::move(url)), news_(std::move(news)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    ASSERT(wake_ >= 0);
    thread_ = std::thread([this] { run(); });
}

Listener::~Listener() {
    is_stopping_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
    thread_.join();
    ::close(wake_);
}

void Listener::run() {
    while (!is_stopping_) {
        listen();
        if (!is_stopping_) pause();
    }
}

void Listener::pause() {
    pollfd place{.fd = wake_, .events = POLLIN, .revents = 0};
    ::poll(&place, 1, static_cast<int>(Millis(limits::kPostgresListenAgain).count()));
}

void Listener::listen() {
    const auto connection = Connection::open(url_);
    if (!connection || !(*connection)->run_once("LISTEN parley")) return;
    news_();  // what came before it could hear
    while (!is_stopping_) {
        if (!(*connection)->wait_for_news(wake_, limits::kFeedPollEvery)) return;
        if ((*connection)->take_news(own_) > 0) news_();
    }
}

}  // namespace parley::postgres
