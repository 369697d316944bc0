// SPDX-License-Identifier: Apache-2.0
// What the network layer costs: requests per second on one core beside a server as Beast's
// documentation builds one in the same run (both read under a deadline; ours also routes), and
// memory and fan-out time of many event-stream subscribers.
// Usage: net_bench [seconds per round] [subscribers]
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "bare_server.h"
#include "figures.h"
#include "measure.h"
#include "net/http_server.h"
#include "request_load.h"

namespace parley::net {
namespace {

using namespace parley::bench;

constexpr int kConnections = 64;
constexpr std::string_view kBareServer = "bare Beast server";

const std::string& document() {
    static const std::string text = "{\"questions\":[\"" + std::string(976, 'q') + "\"]}\n";
    return text;
}

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

// The best of several short rounds, ours and the bare server's in turn.
void compare(const char* name, Target ours, Target bare, const std::string& request,
             double seconds) {
    std::array<Rate, 2> best;
    std::array<std::vector<double>, 2> rates;
    std::array<std::vector<double>, 2> costs;
    for (int round = 0; round < 5; ++round) {
        for (const std::size_t which : {0U, 1U}) {
            const Rate rate =
                RequestLoad(which == 0 ? ours : bare, request, kConnections).run(seconds);
            const double cpu_us = std::min(best[which].cpu_us, rate.cpu_us);
            if (rate.requests_per_second > best[which].requests_per_second) best[which] = rate;
            best[which].cpu_us = cpu_us;
            rates[which].push_back(rate.requests_per_second);
            costs[which].push_back(rate.cpu_us);
        }
    }
    for (const std::size_t which : {0U, 1U}) {
        const Rate& rate = best[which];
        fmt::print("{:<10} {:<5} {:>8.0f}/s  p99 {:>6.2f} ms  CPU {:>5.2f} us\n", name,
                   which == 0 ? "ours" : "bare", rate.requests_per_second, rate.p99_ms,
                   rate.cpu_us);
        const std::string_view who = which == 0 ? kParley : kBareServer;
        record({.what = name, .who = who, .unit = "requests/s", .values = rates[which]});
        record({.what = fmt::format("{}, processor", name),
                .who = who,
                .unit = "µs",
                .values = costs[which]});
    }
    fmt::print("{:<10} {:.0f} % of the bare server by rate, {:.0f} % by CPU\n", name,
               100 * best[0].requests_per_second / best[1].requests_per_second,
               100 * best[1].cpu_us / best[0].cpu_us);
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
    const double before = resident_mib(::getpid());
    subscribers.connect(server.port, count);
    const double after = resident_mib(::getpid());
    fmt::print("{} subscribers: {:.0f} MiB more, {:.1f} KiB each, {:.0f} MiB in all\n", count,
               after - before, (after - before) * 1024 / static_cast<double>(count), after);
    record({.what = fmt::format("memory of each of {} streams", count),
            .unit = "KiB",
            .values = {(after - before) * 1024 / static_cast<double>(count)}});
    std::vector<double> costs;
    const std::string event(1000, 'e');
    for (int round = 0; round < 3; ++round) {
        double cpu = 0;
        subscribers.expect_event(count);
        const auto begin = BenchClock::now();
        server.loop.post([&] {
            const double start = thread_cpu_seconds();
            const SharedChunk chunk = SharedChunk::sse({.data = event, .id = "1"});
            for (Stream& stream : server.streams) stream.send(chunk);
            server.loop.post([&cpu, start] { cpu = thread_cpu_seconds() - start; });
        });
        subscribers.wait();
        const double took = seconds_since(begin);
        server.on_loop([] {});
        fmt::print("one 1 KB event to all of them: {:.0f} ms, {:.0f} ms of server CPU\n",
                   took * 1000, cpu * 1000);
        costs.push_back(cpu * 1000);
    }
    record({.what = fmt::format("an event of 1 KB to {} streams, processor", count),
            .unit = "ms",
            .values = costs});
}

}  // namespace
}  // namespace parley::net

int main(int argc, char** argv) {
    using namespace parley::net;
    using namespace parley::bench;
    const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
    const std::size_t subscribers = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
    raise_descriptor_limit();
    Subscribers clients;
    pin_to(1);
    {
        OurServer ours;
        BareServer bare(document());
        compare("GET 1 KB", ours.target(), bare.target(), get_request(), seconds);
        compare("POST 1 KB", ours.target(), bare.target(), post_request(), seconds);
        std::string co = post_request();
        co.replace(co.find("/echo"), 5, "/echo-co");
        compare("POST co", ours.target(), bare.target(), co, seconds);
    }
    measure_subscribers(clients, subscribers);
}
