// SPDX-License-Identifier: Apache-2.0
#include "request_load.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/assert.h"

namespace parley::bench {

RequestLoad::RequestLoad(Target target, std::string request, int connections)
    : target_(target), request_(std::move(request)) {
    epoll_ = ::epoll_create1(0);
    for (int i = 0; i < connections; ++i) {
        lines_.push_back({.descriptor = connect_to(target.port)});
        epoll_event event{.events = EPOLLIN, .data = {.u32 = static_cast<unsigned>(i)}};
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, lines_.back().descriptor, &event);
    }
    answer_bytes_ = learn_answer_bytes();
}

RequestLoad::~RequestLoad() {
    for (const Line& line : lines_) ::close(line.descriptor);
    ::close(epoll_);
}

Rate RequestLoad::run(double seconds) {
    std::vector<double> waits;
    const auto begin = BenchClock::now();
    const double cpu = cpu_seconds(target_.cpu);
    for (Line& line : lines_) send(line);
    while (seconds_since(begin) < seconds) turn(waits);
    const double took = seconds_since(begin);
    const double used = cpu_seconds(target_.cpu) - cpu;
    std::sort(waits.begin(), waits.end());
    const auto count = static_cast<double>(waits.size());
    return {count / took, waits[waits.size() * 99 / 100] * 1000, used * 1e6 / count};
}

std::size_t RequestLoad::learn_answer_bytes() const {
    constexpr std::string_view kLength = "Content-Length: ";
    const int descriptor = connect_to(target_.port);
    ASSERT(::write(descriptor, request_.data(), request_.size()) > 0);
    std::string answer;
    std::size_t whole = 0;
    while (whole == 0 || answer.size() < whole) {
        char room[16384];
        const ssize_t got = ::read(descriptor, room, sizeof(room));
        ASSERT(got > 0);
        answer.append(room, static_cast<std::size_t>(got));
        const std::size_t head_end = answer.find("\r\n\r\n");
        if (head_end == std::string::npos) continue;
        const std::size_t digits = answer.find(kLength) + kLength.size();
        std::size_t body = 0;
        std::from_chars(answer.data() + digits, answer.data() + head_end, body);
        whole = head_end + 4 + body;
    }
    ::close(descriptor);
    return whole;
}

void RequestLoad::send(Line& line) const {
    line.missing = answer_bytes_;
    line.sent = BenchClock::now();
    ASSERT(::write(line.descriptor, request_.data(), request_.size()) ==
           static_cast<ssize_t>(request_.size()));
}

void RequestLoad::turn(std::vector<double>& waits) {
    epoll_event events[256];
    char room[16384];
    const int ready = ::epoll_wait(epoll_, events, 256, 100);
    for (int i = 0; i < ready; ++i) {
        Line& line = lines_[events[i].data.u32];
        const ssize_t got = ::read(line.descriptor, room, sizeof(room));
        ASSERT(got > 0 && static_cast<std::size_t>(got) <= line.missing);
        line.missing -= static_cast<std::size_t>(got);
        if (line.missing > 0) continue;
        waits.push_back(seconds_since(line.sent));
        send(line);
    }
}

}  // namespace parley::bench
