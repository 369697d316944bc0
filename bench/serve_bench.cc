// SPDX-License-Identifier: Apache-2.0
// What `parley serve` does on one core with every answer on disk: whole rounds (ask, event, answer,
// released) from 1, 64 and 512 sessions at once, beside a bare Beast server with as many requests
// on the same core; how soon it is ready, how much memory it takes, and how fast one event reaches
// many who watch.
// Usage: serve_bench [seconds per round] [subscribers]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bare_server.h"
#include "base/assert.h"
#include "figures.h"
#include "measure.h"
#include "request_load.h"
#include "round_load.h"

namespace parley::bench {
namespace {

constexpr int kRepeats = 5;

// The built program over a new SQLite file, on core 0.
class ServeProcess {
public:
    explicit ServeProcess(const std::string& program) {
        char folder[] = "/tmp/parley-bench-XXXXXX";
        folder_ = ::mkdtemp(folder);
        std::array<int, 2> output = {};
        ASSERT(::pipe(output.data()) == 0);
        const auto begin = BenchClock::now();
        pid_ = ::fork();
        if (pid_ == 0) run(program, output[1]);
        ::close(output[1]);
        std::string line;
        for (char byte = 0; byte != '\n'; line += byte) ASSERT(::read(output[0], &byte, 1) == 1);
        ready_ms_ = seconds_since(begin) * 1000;
        port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.find("127.0.0.1:") + 10)));
        std::ifstream(folder_ + "/token") >> token_;
    }
    ~ServeProcess() {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        std::filesystem::remove_all(folder_);
    }
    ServeProcess(const ServeProcess&) = delete;
    ServeProcess& operator=(const ServeProcess&) = delete;

    std::uint16_t port() const { return port_; }
    const std::string& token() const { return token_; }
    double ready_ms() const { return ready_ms_; }
    double memory_mib() const { return resident_mib(pid_); }
    double cpu() const { return cpu_seconds(cpu_clock_of_process(pid_)); }

private:
    [[noreturn]] void run(const std::string& program, int output) const {
        pin_to(0);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
        const std::string store = "sqlite:" + folder_ + "/parley.db";
        const std::string socket = folder_ + "/parley.sock";
        const std::string token = folder_ + "/token";
        ::execl(program.c_str(), "parley", "serve", "--json", "--listen", "127.0.0.1:0", "--store",
                store.c_str(), "--socket", socket.c_str(), "--token-file", token.c_str(), nullptr);
        ::_exit(127);
    }

    std::string folder_;
    pid_t pid_ = 0;
    double ready_ms_ = 0;
    std::uint16_t port_ = 0;
    std::string token_;
};

template <class T, class Value>
T median_by(std::vector<T> runs, Value value) {
    std::sort(runs.begin(), runs.end(),
              [&](const T& left, const T& right) { return value(left) < value(right); });
    return runs[runs.size() / 2];
}

// What the bare server is asked and answers: as many requests as a round has, of the same size.
std::string bare_request() {
    const std::string body(100, 'q');
    return fmt::format(
        "POST /v1/asks HTTP/1.1\r\nHost: 127.0.0.1:65535\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer 0123456789abcdef0123456789abcdef0123456789abcdef\r\n"
        "Content-Length: {}\r\n\r\n{}",
        body.size(), body);
}
constexpr std::size_t kBareAnswerBytes = 800;

struct MeasuredRounds {
    RoundFigures figures;
    double cpu_us = 0;  // of the server, for one round
};

template <class T, class Value>
std::vector<double> values_of(const std::vector<T>& runs, Value value) {
    std::vector<double> values;
    for (const T& run : runs) values.push_back(value(run));
    return values;
}

void record_rounds(int sessions, int requests, const std::vector<MeasuredRounds>& ours,
                   const std::vector<Rate>& bare) {
    constexpr auto kBareServer = "bare Beast server, no store";
    const std::string what = fmt::format("a round of {} requests, {} session{}", requests, sessions,
                                         sessions == 1 ? "" : "s");
    const std::string processor = what + ", processor";
    record({.what = what, .unit = "rounds/s", .values = values_of(ours, [](const auto& run) {
                                                  return run.figures.rounds_per_second;
                                              })});
    record({.what = what,
            .who = kBareServer,
            .unit = "rounds/s",
            .values = values_of(
                bare, [&](const Rate& run) { return run.requests_per_second / requests; })});
    record({.what = processor, .unit = "µs", .values = values_of(ours, [](const auto& run) {
                                                 return run.cpu_us;
                                             })});
    record({.what = processor,
            .who = kBareServer,
            .unit = "µs",
            .values = values_of(bare, [&](const Rate& run) { return run.cpu_us * requests; })});
    record(
        {.what = what + ", to the released asker (median)",
         .unit = "ms",
         .values = values_of(ours, [](const auto& run) { return run.figures.released_p50_ms; })});
}

void measure_rounds(const std::string& program, int sessions, AskerWaits waits, double seconds) {
    std::vector<MeasuredRounds> ours;
    std::vector<Rate> bare;
    double memory = 0;
    ServeProcess serve(program);
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const double cpu = serve.cpu();
        RoundLoad load(serve.port(), serve.token(), sessions, waits);
        const RoundFigures figures = load.run(seconds);
        ours.push_back({figures, (serve.cpu() - cpu) * 1e6 / static_cast<double>(figures.rounds)});
        memory = std::max(memory, serve.memory_mib());
        BareServer peer(std::string(kBareAnswerBytes, 'a'));
        bare.push_back(RequestLoad(peer.target(), bare_request(), sessions).run(seconds / 2));
    }
    const int requests = requests_in_a_round(waits);
    record_rounds(sessions, requests, ours, bare);
    const MeasuredRounds round =
        median_by(ours, [](const MeasuredRounds& run) { return run.figures.rounds_per_second; });
    const Rate peer = median_by(bare, [](const Rate& run) { return run.requests_per_second; });
    fmt::print(
        "{:>3} sessions: {:>6.0f} rounds/s of {} requests  round p50 {:.2f} p99 {:.2f} ms  "
        "released p50 {:.2f} "
        "p99 {:.2f} ms  CPU {:.0f} us  RSS {:.0f} MiB\n"
        "              bare server {:.0f} requests/s, CPU {:.1f} us; ours {:.0f} % by rate, "
        "{:.0f} % by CPU\n",
        sessions, round.figures.rounds_per_second, requests, round.figures.p50_ms,
        round.figures.p99_ms, round.figures.released_p50_ms, round.figures.released_p99_ms,
        round.cpu_us, memory, peer.requests_per_second, peer.cpu_us,
        100 * requests * round.figures.rounds_per_second / peer.requests_per_second,
        100 * requests * peer.cpu_us / round.cpu_us);
}

void measure_start(const std::string& program) {
    std::vector<double> ready;
    double memory = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const ServeProcess serve(program);
        ready.push_back(serve.ready_ms());
        memory = serve.memory_mib();
    }
    fmt::print("ready in {:.0f} ms, idle RSS {:.1f} MiB\n",
               median_by(ready, [](double ms) { return ms; }), memory);
    record({.what = "start to ready", .unit = "ms", .values = ready});
    record({.what = "memory of an idle broker", .unit = "MiB", .values = {memory}});
}

class Watchers {
public:
    Watchers(const ServeProcess& serve, std::size_t count) : epoll_(::epoll_create1(0)) {
        const std::string request = fmt::format(
            "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
            serve.port(), serve.token());
        for (std::size_t i = 0; i < count; ++i) {
            const int descriptor = connect_to(serve.port());
            ASSERT(::write(descriptor, request.data(), request.size()) > 0);
            epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
            ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
            descriptors_.push_back(descriptor);
            if (descriptors_.size() % 100 == 0) await("snapshot.end", 100);
        }
    }
    ~Watchers() {
        for (const int descriptor : descriptors_) ::close(descriptor);
        ::close(epoll_);
    }

    // Until so many were told `word`.
    void await(std::string_view word, std::size_t missing) {
        while (missing > 0) {
            epoll_event events[256];
            const int ready = ::epoll_wait(epoll_, events, 256, 1000);
            for (int i = 0; i < ready; ++i) {
                char room[8192];
                const ssize_t got = ::read(events[i].data.fd, room, sizeof(room));
                ASSERT(got > 0);
                const std::string_view text(room, static_cast<std::size_t>(got));
                if (text.find(word) != std::string_view::npos) --missing;
            }
        }
    }

private:
    int epoll_;
    std::vector<int> descriptors_;
};

void measure_watchers(const std::string& program, std::size_t count) {
    const ServeProcess serve(program);
    Watchers watchers(serve, count);
    fmt::print("{} watchers: RSS {:.0f} MiB\n", count, serve.memory_mib());
    const std::string body = R"({"text":"hello to everyone who watches"})";
    const std::string request = fmt::format(
        "POST /v1/notices HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        serve.port(), serve.token(), body.size(), body);
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const int descriptor = connect_to(serve.port());
        const auto begin = BenchClock::now();
        ASSERT(::write(descriptor, request.data(), request.size()) > 0);
        watchers.await("hello to everyone", count);
        times.push_back(seconds_since(begin) * 1000);
        ::close(descriptor);
    }
    fmt::print("one event to all of them: {:.0f} ms\n",
               median_by(times, [](double ms) { return ms; }));
    record({.what = fmt::format("an event to {} who watch, until the last has it", count),
            .unit = "ms",
            .values = times});
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
    using namespace parley::bench;
    const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
    const std::size_t watchers = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
    const std::string program =
        (std::filesystem::canonical(argv[0]).parent_path().parent_path() / "parley").string();
    raise_descriptor_limit();
    measure_start(program);
    pin_to(1);
    for (const int sessions : {1, 64, 512}) {
        for (const auto waits : {AskerWaits::with_its_ask, AskerWaits::after_its_ask})
            measure_rounds(program, sessions, waits, seconds);
    }
    measure_watchers(program, watchers);
}
