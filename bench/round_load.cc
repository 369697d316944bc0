// SPDX-License-Identifier: Apache-2.0
#include "round_load.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace parley::bench {

namespace {

constexpr std::string_view kAskPrefix = "que_";
constexpr std::size_t kAskIdSize = 30;

void write_all(int descriptor, std::string_view text) {
    ASSERT(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

std::string_view ask_in(std::string_view text) {
    return text.substr(text.find(kAskPrefix), kAskIdSize);
}

struct Answer {
    int status = 0;
    std::string ask = {};  // that was made
};

// Takes one whole answer from the front, if it is all there.
std::optional<Answer> take_answer(std::string& input) {
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t head_end = input.find("\r\n\r\n");
    if (head_end == std::string::npos) return std::nullopt;
    const std::size_t digits = input.find(kLength) + kLength.size();
    std::size_t body = 0;
    std::from_chars(input.data() + digits, input.data() + head_end, body);
    if (input.size() < head_end + 4 + body) return std::nullopt;
    Answer answer;
    std::from_chars(input.data() + 9, input.data() + 12, answer.status);
    if (answer.status == 201) answer.ask = ask_in(std::string_view(input).substr(head_end));
    input.erase(0, head_end + 4 + body);
    return answer;
}

double at_share(std::vector<double>& times, double share) {
    std::sort(times.begin(), times.end());
    return times[static_cast<std::size_t>(static_cast<double>(times.size() - 1) * share)] * 1000;
}

}  // namespace

RoundLoad::RoundLoad(std::vector<std::uint16_t> ports, const std::string& token, int sessions,
                     AskerWaits waits)
    : ports_(std::move(ports)),
      token_(token),
      waits_(waits),
      epoll_(::epoll_create1(0)),
      sessions_(static_cast<std::size_t>(sessions)) {
    for (int i = 0; i < sessions; ++i) open(sessions_[static_cast<std::size_t>(i)], i);
}

RoundLoad::~RoundLoad() {
    for (const Session& session : sessions_)
        for (const Line& line : session.lines) ::close(line.descriptor);
    ::close(epoll_);
}

void RoundLoad::open(Session& session, int number) {
    const std::string body =
        fmt::format(R"({{"session":"bench-{}","question":"Which database shall the service use?",)"
                    R"("header":"Database","options":["PostgreSQL","SQLite","MySQL"]}})",
                    number);
    for (unsigned part = 0; part < kParts; ++part) {
        const unsigned at = static_cast<unsigned>(number) + (part == asker ? 0 : 1);
        const std::uint16_t port = ports_[at % ports_.size()];
        session.lines[part].descriptor = connect_to(port);
        session.lines[part].head =
            fmt::format("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n", port, token_);
        epoll_event event{.events = EPOLLIN,
                          .data = {.u32 = static_cast<unsigned>(number) * kParts + part}};
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, session.lines[part].descriptor, &event);
    }
    session.ask_request = fmt::format(
        "POST /v1/asks{} HTTP/1.1\r\n{}Content-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        waits_ == AskerWaits::with_its_ask ? "?wait=600" : "", session.lines[asker].head,
        body.size(), body);
    Line& stream = session.lines[events];
    write_all(stream.descriptor, fmt::format("GET /v1/events?session=bench-{} HTTP/1.1\r\n{}\r\n",
                                             number, stream.head));
    while (stream.input.find("snapshot.end") == std::string::npos) take(session, events);
    stream.input.clear();
}

RoundFigures RoundLoad::run(double seconds, std::size_t at_once) {
    round_times_.clear();
    released_times_.clear();
    is_ending_ = false;
    const auto begin = BenchClock::now();
    idle_.clear();
    for (Session& session : sessions_) {
        if (open_rounds_ < at_once) {
            begin_round(session);
        } else {
            idle_.push_back(&session);
        }
    }
    while (seconds_since(begin) < seconds) turn();
    const double took = seconds_since(begin);
    const std::size_t rounds = round_times_.size();
    is_ending_ = true;
    while (open_rounds_ > 0) turn();
    return {.rounds_per_second = static_cast<double>(rounds) / took,
            .p50_ms = at_share(round_times_, 0.5),
            .p99_ms = at_share(round_times_, 0.99),
            .released_p50_ms = at_share(released_times_, 0.5),
            .released_p99_ms = at_share(released_times_, 0.99),
            .rounds = rounds};
}

void RoundLoad::begin_round(Session& session) {
    ++open_rounds_;
    session.missing = 2;
    session.asked = BenchClock::now();
    write_all(session.lines[asker].descriptor, session.ask_request);
}

void RoundLoad::turn() {
    epoll_event ready[256];
    const int count = ::epoll_wait(epoll_, ready, 256, 100);
    for (int i = 0; i < count; ++i)
        take(sessions_[ready[i].data.u32 / kParts], static_cast<Part>(ready[i].data.u32 % kParts));
}

void RoundLoad::take(Session& session, Part part) {
    Line& line = session.lines[part];
    char room[16384];
    const ssize_t got = ::read(line.descriptor, room, sizeof(room));
    ASSERT(got > 0);
    line.input.append(room, static_cast<std::size_t>(got));
    if (part != events) {
        const auto answer = take_answer(line.input);
        if (!answer) return;
        if (answer->status == 201) return wait(session, answer->ask);
        ASSERT(answer->status == 200);
        return end_request(session, part);
    }
    std::size_t end = 0;
    while ((end = line.input.find("\n\n")) != std::string::npos) {
        const std::string_view frame = std::string_view(line.input).substr(0, end);
        const bool is_opened = frame.find("event: ask.opened") != std::string_view::npos;
        if (is_opened) answer(session, ask_in(frame));
        if (frame.find("snapshot.end") != std::string_view::npos) return;
        line.input.erase(0, end + 2);
    }
}

void RoundLoad::wait(Session& session, std::string_view ask) {
    write_all(
        session.lines[asker].descriptor,
        fmt::format("GET /v1/asks/{}?wait=600 HTTP/1.1\r\n{}\r\n", ask, session.lines[asker].head));
}

void RoundLoad::answer(Session& session, std::string_view ask) {
    constexpr std::string_view kBody = R"({"answers":[{"selected":["PostgreSQL"]}],"by":"ada"})";
    session.answered = BenchClock::now();
    write_all(session.lines[responder].descriptor,
              fmt::format("POST /v1/asks/{}/answer HTTP/1.1\r\n{}Content-Type: application/json\r\n"
                          "Content-Length: {}\r\n\r\n{}",
                          ask, session.lines[responder].head, kBody.size(), kBody));
}

void RoundLoad::end_request(Session& session, Part part) {
    if (part == asker) released_times_.push_back(seconds_since(session.answered));
    if (--session.missing > 0) return;
    round_times_.push_back(seconds_since(session.asked));
    --open_rounds_;
    if (is_ending_) return;
    idle_.push_back(&session);
    Session& next = *idle_.front();
    idle_.pop_front();
    begin_round(next);
}

}  // namespace parley::bench
