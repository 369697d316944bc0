// SPDX-License-Identifier: Apache-2.0
#include "net/test_support.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "net/limits.h"

namespace parley::net::testing {

namespace {

void set_patience(int descriptor) {
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

}  // namespace

RawClient RawClient::tcp(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_patience(descriptor);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    ASSERT(::connect(descriptor, generic, sizeof(address)) == 0);
    return RawClient(descriptor);
}

RawClient RawClient::unix_path(const std::string& path) {
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    set_patience(descriptor);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT(path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.data(), path.size());
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    ASSERT(::connect(descriptor, generic, sizeof(address)) == 0);
    return RawClient(descriptor);
}

RawClient::RawClient(RawClient&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}

RawClient::~RawClient() {
    close();
}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

void RawClient::finish_sending() {
    ::shutdown(descriptor_, SHUT_WR);
}

void RawClient::reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
}

void RawClient::close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool RawClient::read_more() {
    std::array<char, 65536> room;
    const ssize_t got = ::recv(descriptor_, room.data(), room.size(), 0);
    if (got <= 0) return false;
    buffer_.append(room.data(), static_cast<std::size_t>(got));
    return true;
}

std::optional<HeardAnswer> RawClient::receive(wire::Method answers) {
    wire::ResponseParser parser({.body_bytes_max = limits::kResponseBytes});
    parser.expect_answer_to(answers);
    HeardAnswer answer;
    while (true) {
        std::string_view input = buffer_;
        wire::Step step = parser.step(input);
        if (step == wire::Step::head) step = parser.step(input);
        buffer_ = std::string(input);
        if (step == wire::Step::need_more && !read_more()) step = parser.end_of_input();
        if (step == wire::Step::failed) return std::nullopt;
        answer.body += parser.take_body();
        if (step == wire::Step::done) {
            answer.head = parser.head();
            return answer;
        }
    }
}

std::optional<wire::ResponseHead> RawClient::receive_head() {
    wire::ResponseParser parser({});
    std::string_view head = "";
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
        if (!read_more()) return std::nullopt;
    }
    head = std::string_view(buffer_).substr(0, buffer_.find("\r\n\r\n") + 4);
    if (parser.step(head) != wire::Step::head) return std::nullopt;
    buffer_.erase(0, buffer_.find("\r\n\r\n") + 4);
    return parser.head();
}

std::string RawClient::read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
        if (!read_more()) return std::exchange(buffer_, {});
    }
    const std::size_t end = buffer_.find(text) + text.size();
    std::string taken = buffer_.substr(0, end);
    buffer_.erase(0, end);
    return taken;
}

bool RawClient::ends() {
    if (!buffer_.empty()) return false;
    return !read_more();
}

std::string RawClient::read_to_end() {
    while (read_more()) {
    }
    return std::exchange(buffer_, {});
}

std::string get(std::string_view target, std::string_view more_lines) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n{}\r\n", target, more_lines);
}

std::string post(std::string_view target, std::string_view body, std::string_view content_type) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: test\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
        target, content_type, body.size(), body);
}

Co<void> sleep_for(Millis duration) {
    asio::steady_timer timer(co_await asio::this_coro::executor, duration);
    co_await timer.async_wait(kUseCo);
}

ServerLimits quick_limits() {
    ServerLimits limits;
    limits.sweep_interval = Millis(5);
    limits.handshake_timeout = Millis(50);
    limits.head_timeout = Millis(50);
    limits.body_timeout = Millis(50);
    limits.idle_timeout = Millis(50);
    limits.write_stall_timeout = Millis(50);
    limits.linger_timeout = Millis(50);
    return limits;
}

ServerFixture::ServerFixture(const std::function<void(Router&)>& add_routes,
                             HttpServerOptions options)
    : socket_path_(temporary_path("net.sock")) {
    add_routes(router_);
    server_ = std::make_unique<HttpServer>(loop_, router_, std::move(options));
    const auto port = server_->listen_tcp({});
    ASSERT(port.has_value());
    port_ = *port;
    ASSERT(server_->listen_unix(socket_path_).has_value());
    thread_ = std::thread([this] { loop_.run(); });
}

ServerFixture::~ServerFixture() {
    on_loop([this] { server_.reset(); });
    loop_.stop();
    thread_.join();
}

void ServerFixture::wait_until(const std::function<bool()>& condition) {
    while (!on_loop(condition)) std::this_thread::yield();
}

void ServerFixture::drain(Millis deadline) {
    std::promise<void> done;
    auto future = done.get_future();
    on_loop([&] { server_->drain(deadline, [&done] { done.set_value(); }); });
    future.get();
}

std::string temporary_path(std::string_view name) {
    static std::atomic<int> count = 0;
    return fmt::format("/tmp/parley-{}-{}-{}", ::getpid(), count++, name);
}

}  // namespace parley::net::testing
