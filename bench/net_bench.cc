// SPDX-License-Identifier: Apache-2.0
// What the network layer costs: requests per second on one core beside a bare Asio + Beast-parser
// server in the same run, and memory and fan-out time of many event-stream subscribers.
// Usage: net_bench [seconds per round] [subscribers]
#include <arpa/inet.h>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "net/http_server.h"

namespace parley::net {
namespace {

using Clock = std::chrono::steady_clock;
using boost::asio::ip::tcp;
namespace http = boost::beast::http;

constexpr int kConnections = 64;

const std::string& document() {
    static const std::string text = "{\"questions\":[\"" + std::string(976, 'q') + "\"]}\n";
    return text;
}

void pin_to(unsigned core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core % std::max(1U, std::thread::hardware_concurrency()), &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

double cpu_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double thread_cpu_seconds() {
    return cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
}

clockid_t cpu_clock_of(std::thread& thread) {
    clockid_t clock{};
    pthread_getcpuclockid(thread.native_handle(), &clock);
    return clock;
}

// The limit for this stack: one coroutine a connection, no routes, no limits, no time-outs.
Co<void> serve_bare(tcp::socket socket) {
    std::string input;
    std::string out;
    std::vector<char> room(8192);
    socket.set_option(tcp::no_delay(true));
    while (true) {
        http::request_parser<http::string_body> parser;
        parser.eager(true);
        while (!parser.is_done()) {
            boost::system::error_code error;
            if (!input.empty()) {
                input.erase(0, parser.put(asio::buffer(input), error));
                if (error && error != http::error::need_more) co_return;
                if (parser.is_done()) break;
            }
            const auto [failed, got] = co_await socket.async_read_some(asio::buffer(room), kUseCo);
            if (failed) co_return;
            input.append(room.data(), got);
        }
        const std::string& body =
            parser.get().method() == http::verb::get ? document() : parser.get().body();
        out =
            "HTTP/1.1 200 OK\r\nDate: Sun, 15 Nov 2026 12:00:00 GMT\r\n"
            "Content-Type: application/json\r\nContent-Length: ";
        out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
        const auto [failed, put] = co_await asio::async_write(socket, asio::buffer(out), kUseCo);
        if (failed) co_return;
    }
}

Co<void> accept_bare(tcp::acceptor* acceptor) {
    while (true) {
        auto [error, socket] = co_await acceptor->async_accept(kUseCo);
        if (error) co_return;
        asio::co_spawn(acceptor->get_executor(), serve_bare(std::move(socket)), asio::detached);
    }
}

int connect_to(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return descriptor;
}

struct Rate {
    double requests_per_second = 0;
    double p99_ms = 0;
    double cpu_us =
        1e9;  // of the server, for one request: steadier than the rate on a busy machine
};

struct Target {
    std::uint16_t port;
    clockid_t cpu;
};

// Each connection sends its next request when the answer to the last is complete. Every answer has
// the same size, which the first one tells.
class Load {
public:
    Load(Target target, std::string request) : target_(target), request_(std::move(request)) {
        const std::uint16_t port = target.port;
        epoll_ = ::epoll_create1(0);
        for (int i = 0; i < kConnections; ++i) {
            lines_.push_back({.descriptor = connect_to(port)});
            epoll_event event{.events = EPOLLIN, .data = {.u32 = static_cast<unsigned>(i)}};
            ::epoll_ctl(epoll_, EPOLL_CTL_ADD, lines_.back().descriptor, &event);
        }
        answer_bytes_ = learn_answer_bytes(port);
    }
    ~Load() {
        for (const Line& line : lines_) ::close(line.descriptor);
        ::close(epoll_);
    }

    Rate run(double seconds) {
        std::vector<double> waits;
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        const auto begin = Clock::now();
        const double cpu = cpu_seconds(target_.cpu);
        for (Line& line : lines_) send(line);
        while (Clock::now() < end) turn(waits);
        const double took = std::chrono::duration<double>(Clock::now() - begin).count();
        const double used = cpu_seconds(target_.cpu) - cpu;
        std::sort(waits.begin(), waits.end());
        const auto count = static_cast<double>(waits.size());
        return {count / took, waits[waits.size() * 99 / 100] * 1000, used * 1e6 / count};
    }

private:
    struct Line {
        int descriptor = -1;
        std::size_t missing = 0;
        Clock::time_point sent = {};
    };

    std::size_t learn_answer_bytes(std::uint16_t port) {
        const int descriptor = connect_to(port);
        ASSERT(::write(descriptor, request_.data(), request_.size()) > 0);
        std::string answer;
        char room[16384];
        while (answer.size() < document().size() || answer.find("]}\n") == std::string::npos) {
            const ssize_t got = ::read(descriptor, room, sizeof(room));
            ASSERT(got > 0);
            answer.append(room, static_cast<std::size_t>(got));
        }
        ::close(descriptor);
        return answer.size();
    }

    void send(Line& line) {
        line.missing = answer_bytes_;
        line.sent = Clock::now();
        ASSERT(::write(line.descriptor, request_.data(), request_.size()) ==
               static_cast<ssize_t>(request_.size()));
    }

    void turn(std::vector<double>& waits) {
        epoll_event events[kConnections];
        char room[16384];
        const int ready = ::epoll_wait(epoll_, events, kConnections, 100);
        for (int i = 0; i < ready; ++i) {
            Line& line = lines_[events[i].data.u32];
            const ssize_t got = ::read(line.descriptor, room, sizeof(room));
            ASSERT(got > 0 && static_cast<std::size_t>(got) <= line.missing);
            line.missing -= static_cast<std::size_t>(got);
            if (line.missing > 0) continue;
            waits.push_back(std::chrono::duration<double>(Clock::now() - line.sent).count());
            send(line);
        }
    }

    Target target_;
    std::string request_;
    int epoll_ = -1;
    std::vector<Line> lines_;
    std::size_t answer_bytes_ = 0;
};

std::string get_request() {
    return "GET /document HTTP/1.1\r\nHost: 127.0.0.1:7373\r\nUser-Agent: bench\r\n"
           "Accept: application/json\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n";
}

std::string post_request() {
    return fmt::format(
        "POST /echo HTTP/1.1\r\nHost: 127.0.0.1:7373\r\nContent-Type: application/json\r\n"
        "Authorization: Bearer 0123456789abcdef\r\nContent-Length: {}\r\n\r\n{}",
        document().size(), document());
}

// A server of ours on a pinned thread.
class OurServer {
public:
    OurServer() {
        router_.get("/document", [](Exchange ex) {
            ex.respond({.content_type = kJson, .body = Body::literal(document())});
        });
        router_.post("/echo",
                     [](Exchange ex) { ex.respond({.content_type = kJson, .body = ex.body()}); });
        router_.post("/echo-co", [](Exchange ex) -> Co<void> {
            ex.respond({.content_type = kJson, .body = ex.body()});
            co_return;
        });
        router_.get("/events",
                    [this](Exchange ex) { streams.push_back(ex.start_stream(sse_options())); });
        server_ = std::make_unique<HttpServer>(loop, router_);
        port = server_->listen_tcp({}).value();
        thread_ = std::thread([this] {
            pin_to(0);
            loop.run();
        });
    }
    ~OurServer() {
        on_loop([this] {
            streams.clear();
            server_.reset();
        });
        loop.stop();
        thread_.join();
    }
    void on_loop(const std::function<void()>& task) {
        std::promise<void> done;
        loop.post([&] {
            task();
            done.set_value();
        });
        done.get_future().get();
    }

    Target target() { return {port, cpu_clock_of(thread_)}; }

    Loop loop;
    std::vector<Stream> streams;
    std::uint16_t port = 0;

private:
    Router router_;
    std::unique_ptr<HttpServer> server_;
    std::thread thread_;
};

class BareServer {
public:
    BareServer() : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
        asio::co_spawn(context_, accept_bare(&acceptor_), asio::detached);
        thread_ = std::thread([this] {
            pin_to(0);
            context_.run();
        });
    }
    ~BareServer() {
        context_.stop();
        thread_.join();
    }
    Target target() { return {acceptor_.local_endpoint().port(), cpu_clock_of(thread_)}; }

private:
    asio::io_context context_{1};
    tcp::acceptor acceptor_;
    std::thread thread_;
};

// The best of several short rounds, ours and the bare server's in turn.
void compare(const char* name, Target ours, Target bare, const std::string& request,
             double seconds) {
    std::array<Rate, 2> best;
    for (int round = 0; round < 5; ++round) {
        for (const std::size_t which : {0U, 1U}) {
            const Rate rate = Load(which == 0 ? ours : bare, request).run(seconds);
            const double cpu_us = std::min(best[which].cpu_us, rate.cpu_us);
            if (rate.requests_per_second > best[which].requests_per_second) best[which] = rate;
            best[which].cpu_us = cpu_us;
        }
    }
    for (const std::size_t which : {0U, 1U}) {
        const Rate& rate = best[which];
        fmt::print("{:<10} {:<5} {:>8.0f}/s  p99 {:>6.2f} ms  CPU {:>5.2f} us\n", name,
                   which == 0 ? "ours" : "bare", rate.requests_per_second, rate.p99_ms,
                   rate.cpu_us);
    }
    fmt::print("{:<10} {:.0f} % of the bare server by rate, {:.0f} % by CPU\n", name,
               100 * best[0].requests_per_second / best[1].requests_per_second,
               100 * best[1].cpu_us / best[0].cpu_us);
}

double resident_mib() {
    std::ifstream file("/proc/self/statm");
    std::size_t size = 0;
    std::size_t resident = 0;
    file >> size >> resident;
    return static_cast<double>(resident) * 4096 / (1024 * 1024);
}

// The subscribers, in a process of their own: descriptors are limited for each.
class Subscribers {
public:
    // Before any thread is started.
    Subscribers() {
        ASSERT(::pipe(to_.data()) == 0 && ::pipe(from_.data()) == 0);
        pid_ = ::fork();
        if (pid_ != 0) return;
        pin_to(1);
        Order order{};
        while (::read(to_[0], &order, sizeof(order)) == sizeof(order) && order.count > 0)
            obey(order);
        ::_exit(0);
    }
    ~Subscribers() {
        tell({});
        ::waitpid(pid_, nullptr, 0);
    }

    void connect(std::uint16_t port, std::size_t count) {
        tell({.port = port, .count = count});
        wait();
    }
    // After this, wait() returns when each has received something.
    void expect_event(std::size_t count) { tell({.port = 0, .count = count}); }
    void wait() {
        char done = 0;
        ASSERT(::read(from_[0], &done, 1) == 1);
    }

private:
    struct Order {
        std::uint16_t port = 0;
        std::size_t count = 0;
    };

    void tell(const Order& order) { ASSERT(::write(to_[1], &order, sizeof(order)) > 0); }

    void obey(const Order& order) {
        if (order.port == 0) {
            receive(order.count);
        } else {
            epoll_ = ::epoll_create1(0);
            for (std::size_t i = 0; i < order.count; i += 100) subscribe(order.port, 100);
        }
        ASSERT(::write(from_[1], "x", 1) == 1);
    }

    void subscribe(std::uint16_t port, std::size_t count) {
        const std::string request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
        for (std::size_t i = 0; i < count; ++i) {
            const int descriptor = connect_to(port);
            ASSERT(::write(descriptor, request.data(), request.size()) > 0);
            epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
            ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
        }
        receive(count);  // the heads
    }

    void receive(std::size_t missing) {
        while (missing > 0) {
            epoll_event events[256];
            const int ready = ::epoll_wait(epoll_, events, 256, 1000);
            for (int i = 0; i < ready; ++i) {
                char room[4096];
                if (::read(events[i].data.fd, room, sizeof(room)) > 0) --missing;
            }
        }
    }

    std::array<int, 2> to_ = {};
    std::array<int, 2> from_ = {};
    pid_t pid_ = 0;
    int epoll_ = -1;
};

void measure_subscribers(Subscribers& subscribers, std::size_t count) {
    OurServer server;
    const double before = resident_mib();
    subscribers.connect(server.port, count);
    const double after = resident_mib();
    fmt::print("{} subscribers: {:.0f} MiB more, {:.1f} KiB each, {:.0f} MiB in all\n", count,
               after - before, (after - before) * 1024 / static_cast<double>(count), after);
    const std::string event(1000, 'e');
    for (int round = 0; round < 3; ++round) {
        double cpu = 0;
        subscribers.expect_event(count);
        const auto begin = Clock::now();
        server.loop.post([&] {
            const double start = thread_cpu_seconds();
            const SharedChunk chunk = SharedChunk::sse({.data = event, .id = "1"});
            for (Stream& stream : server.streams) stream.send(chunk);
            server.loop.post([&cpu, start] { cpu = thread_cpu_seconds() - start; });
        });
        subscribers.wait();
        const double took = std::chrono::duration<double>(Clock::now() - begin).count();
        server.on_loop([] {});
        fmt::print("one 1 KB event to all of them: {:.0f} ms, {:.0f} ms of server CPU\n",
                   took * 1000, cpu * 1000);
    }
}

}  // namespace
}  // namespace parley::net

int main(int argc, char** argv) {
    using namespace parley::net;
    const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
    const std::size_t subscribers = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    Subscribers clients;
    pin_to(1);
    {
        OurServer ours;
        BareServer bare;
        compare("GET 1 KB", ours.target(), bare.target(), get_request(), seconds);
        compare("POST 1 KB", ours.target(), bare.target(), post_request(), seconds);
        std::string co = post_request();
        co.replace(co.find("/echo"), 5, "/echo-co");
        compare("POST co", ours.target(), bare.target(), co, seconds);
    }
    measure_subscribers(clients, subscribers);
}
