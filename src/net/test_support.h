// SPDX-License-Identifier: Apache-2.0
// For the tests of net: a server on a loop with a thread of its own, and a blocking client that
// sends exactly the bytes it is given.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "net/http_server.h"
#include "wire/http_parser.h"

namespace parley::net::testing {

struct HeardAnswer {
    wire::ResponseHead head;
    std::string body;
    int status() const { return head.status; }
};

// Blocking, with a generous time-out so that a broken server fails a test instead of hanging it.
class RawClient {
public:
    static RawClient tcp(std::uint16_t port);
    static RawClient unix_path(const std::string& path);
    RawClient(RawClient&& other) noexcept;
    RawClient& operator=(RawClient&&) = delete;
    ~RawClient();

    // False when the server has gone.
    bool send(std::string_view bytes);
    void finish_sending();
    void reset();  // closes so that the server sees a reset
    void close();

    // The next whole answer; nothing if the connection ends before that.
    std::optional<HeardAnswer> receive(wire::Method answers = wire::Method::get);
    // The head of an answer whose body goes on.
    std::optional<wire::ResponseHead> receive_head();
    // Reads until `text` has come; all bytes up to and with it, or what came before the end.
    std::string read_until(std::string_view text);
    // True when the server closes without another byte.
    bool ends();
    std::string read_to_end();
    int descriptor() const { return descriptor_; }

private:
    explicit RawClient(int descriptor) : descriptor_(descriptor) {}
    bool read_more();

    int descriptor_ = -1;
    std::string buffer_;
};

// "GET /path" with a Host, ready to send.
std::string get(std::string_view target, std::string_view more_lines = {});
std::string post(std::string_view target, std::string_view body,
                 std::string_view content_type = kJson);

// Suspends the calling coroutine.
Co<void> sleep_for(Millis duration);

template <class T>
Co<void> keep_value(Loop* loop, Co<T> coroutine, std::optional<T>* value) {
    value->emplace(co_await std::move(coroutine));
    loop->stop();
}

// Runs a loop that nobody else runs until the coroutine ends, and gives its value.
template <class T>
T run(Loop& loop, Co<T> coroutine) {
    std::optional<T> value;
    loop.spawn(keep_value(&loop, std::move(coroutine), &value));
    loop.run();
    return std::move(value.value());
}

// Time-outs of tens of milliseconds.
ServerLimits quick_limits();

class ServerFixture {
public:
    // `add_routes` runs before the server starts.
    explicit ServerFixture(const std::function<void(Router&)>& add_routes,
                           HttpServerOptions options = {});
    ~ServerFixture();

    std::uint16_t port() const { return port_; }
    const std::string& socket_path() const { return socket_path_; }
    RawClient connect() const { return RawClient::tcp(port_); }
    Loop& loop() { return loop_; }
    HttpServer& server() { return *server_; }

    // Runs `task` on the loop and waits for what it gives.
    template <class F>
    auto on_loop(F task) {
        std::promise<std::invoke_result_t<F>> promise;
        auto future = promise.get_future();
        loop_.post([&] {
            if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
                task();
                promise.set_value();
            } else {
                promise.set_value(task());
            }
        });
        return future.get();
    }
    ServerCounts counts() {
        return on_loop([this] { return server_->counts(); });
    }
    // Waits, without a limit of its own, until the loop sees `condition` true.
    void wait_until(const std::function<bool()>& condition);
    void drain(Millis deadline);

private:
    Loop loop_;
    Router router_;
    std::unique_ptr<HttpServer> server_;
    std::uint16_t port_ = 0;
    std::string socket_path_;
    std::thread thread_;
};

std::string temporary_path(std::string_view name);

}  // namespace parley::net::testing
