// SPDX-License-Identifier: Apache-2.0
// The only file that sees Beast's WebSocket.
#include "net/websocket_session.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include <deque>
#include <utility>

#include "base/assert.h"
#include "net/byte_stream.h"

namespace parley::net {

namespace websocket = boost::beast::websocket;

namespace {

constexpr std::size_t kCloseReasonBytes = 123;  // RFC 6455: a control frame has at most 125
constexpr std::size_t kKeptBufferBytes = 16 * limits::kKiB;

WsCode code_of(const error_code& error) {
    if (error == websocket::error::message_too_big) return WsCode::too_big;
    if (error == websocket::error::buffer_overflow) return WsCode::too_big;
    if (error == websocket::error::bad_frame_payload) return WsCode::bad_payload;
    if (error == websocket::condition::protocol_violation) return WsCode::protocol_error;
    return WsCode::lost;
}

class BeastSession final : public WebSocketSession {
public:
    BeastSession(Loop& loop, Transport transport, std::string unread, WebSocketOptions options,
                 Task on_over)
        : loop_(loop),
          options_(std::move(options)),
          on_over_(std::move(on_over)),
          ws_(loop, std::move(transport), std::move(unread)),
          last_heard_(loop.now()) {
        ws_.read_message_max(options_.message_bytes_max);
        ws_.auto_fragment(false);
        ws_.text(true);
        ws_.control_callback([this](websocket::frame_type, beast::string_view) {
            last_heard_ = loop_.now();
            ping_sent_ = false;
        });
    }

    Co<Result<void>> accept(const wire::Request* request) override;
    Co<Result<void>> handshake(std::string host, std::string target) override;

    bool is_open() const override { return !over_ && !closing_; }
    Co<std::optional<std::string>> receive() override;
    bool send(SharedText text) override;
    std::size_t queued_bytes() const override { return queued_bytes_; }
    void on_queue_below(std::size_t bytes, Task task) override;
    void close(WsCode code, std::string_view reason) override;
    void cut() override {
        on_end_ = {};
        finish(WsClose{});
    }
    const WsClose& closed() const override { return closed_; }
    void on_end(UniqueFunction<void(WsClose)> handler) override;
    void on_closing(Task task) override { on_closing_ = std::move(task); }

    void tick(Mono now) override;
    void begin_drain() override;
    void stop() override {
        finish({static_cast<std::uint16_t>(WsCode::going_away), "the server stopped"});
    }

private:
    using Stream = websocket::stream<ByteStream, false>;

    std::shared_ptr<BeastSession> self() {
        return std::static_pointer_cast<BeastSession>(shared_from_this());
    }
    void opened();
    void write_next();
    void send_close();
    void tell_of_room();
    void finish(WsClose how);

    Loop& loop_;
    WebSocketOptions options_;
    Task on_over_;
    Stream ws_;
    beast::flat_buffer incoming_;
    std::deque<SharedText> outgoing_;  // the front one is being written
    std::size_t queued_bytes_ = 0;
    Mono last_heard_;
    Mono closing_since_ = {};
    WsClose closed_;
    WsClose our_close_;
    UniqueFunction<void(WsClose)> on_end_;
    Task on_closing_;
    Task on_room_;
    std::size_t room_below_ = 0;
    bool receiving_ = false;
    bool writing_ = false;
    bool ping_sent_ = false;
    bool open_ = false;  // the handshake is done
    bool closing_ = false;
    bool over_ = false;
};

// The field lines that the gate and the options want in the handshake's answer.
template <class Message>
void add_lines(Message& message, std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end = lines.find("\r\n");
        const std::string_view line = lines.substr(0, end);
        const std::size_t colon = line.find(": ");
        const std::string_view value = line.substr(colon + 2);
        message.insert({line.data(), colon}, {value.data(), value.size()});
        lines.remove_prefix(end + 2);
    }
}

Co<Result<void>> BeastSession::accept(const wire::Request* request) {
    const auto keep = self();
    websocket::request_type message;
    message.version(11);
    message.method(beast::http::verb::get);
    message.target(request->target);
    for (const auto* name :
         {"Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"}) {
        message.set(name, request->fields.joined(name));
    }
    ws_.set_option(websocket::stream_base::decorator([this](websocket::response_type& response) {
        response.erase(beast::http::field::server);
        if (!options_.protocol.empty()) {
            response.set("Sec-WebSocket-Protocol", options_.protocol);
        }
        add_lines(response, options_.headers.text());
    }));
    const auto [error] = co_await ws_.async_accept(message, kUseCo);
    if (error) {
        finish(WsClose{});
        co_return reject(ErrorCode::unavailable, "the WebSocket handshake failed: {}",
                         error.message());
    }
    opened();
    co_return Result<void>{};
}

Co<Result<void>> BeastSession::handshake(std::string host, std::string target) {
    const auto keep = self();
    ws_.set_option(websocket::stream_base::decorator([this](websocket::request_type& request) {
        request.erase(beast::http::field::user_agent);
        if (!options_.protocol.empty()) {
            request.set("Sec-WebSocket-Protocol", options_.protocol);
        }
        add_lines(request, options_.headers.text());
    }));
    websocket::response_type response;
    const auto [error] = co_await ws_.async_handshake(response, host, target, kUseCo);
    if (!error) {
        opened();
        co_return Result<void>{};
    }
    finish(WsClose{});
    if (error == websocket::error::upgrade_declined) {
        co_return reject(ErrorCode::denied, "the server refused the WebSocket with status {}",
                         response.result_int());
    }
    co_return reject(ErrorCode::unavailable, "the WebSocket handshake failed: {}", error.message());
}

Co<std::optional<std::string>> BeastSession::receive() {
    const auto keep = self();
    ASSERT(!receiving_);
    while (!over_) {
        receiving_ = true;
        last_heard_ = loop_.now();
        const auto [error, bytes] = co_await ws_.async_read(incoming_, kUseCo);
        receiving_ = false;
        if (error == websocket::error::closed) {
            const auto& reason = ws_.reason();
            finish(WsClose{reason.code, std::string(reason.reason.data(), reason.reason.size())});
            break;
        }
        if (error) {
            finish(WsClose{static_cast<std::uint16_t>(code_of(error)), error.message()});
            break;
        }
        last_heard_ = loop_.now();
        std::string text = beast::buffers_to_string(incoming_.cdata());
        incoming_.consume(bytes);
        if (incoming_.capacity() > kKeptBufferBytes) incoming_.shrink_to_fit();
        if (ws_.got_text()) co_return text;
        close(WsCode::unsupported, "only text messages are taken");
    }
    co_return std::nullopt;
}

bool BeastSession::send(SharedText text) {
    if (!is_open()) return false;
    if (queued_bytes_ + text->size() > options_.queue_bytes_max) {
        finish(WsClose{static_cast<std::uint16_t>(WsCode::lost), "the peer reads too slowly"});
        return false;
    }
    queued_bytes_ += text->size();
    outgoing_.push_back(std::move(text));
    if (!writing_) write_next();
    return true;
}

void BeastSession::on_queue_below(std::size_t bytes, Task task) {
    if (over_) return;
    on_room_ = std::move(task);
    room_below_ = bytes;
    tell_of_room();
}

void BeastSession::tell_of_room() {
    if (on_room_ && queued_bytes_ <= room_below_) loop_.post(std::exchange(on_room_, {}));
}

void BeastSession::opened() {
    open_ = true;
    if (!writing_) write_next();
}

void BeastSession::write_next() {
    // What comes before the handshake is done waits for it.
    if (over_ || !open_) return;
    if (outgoing_.empty()) {
        if (closing_) send_close();
        return;
    }
    writing_ = true;
    const SharedText text = outgoing_.front();
    ws_.async_write(asio::buffer(*text), [self = self(), text](error_code error, std::size_t) {
        self->writing_ = false;
        if (self->over_) return;
        if (error) return self->finish(WsClose{});
        self->queued_bytes_ -= text->size();
        self->outgoing_.pop_front();
        self->tell_of_room();
        self->write_next();
    });
}

void BeastSession::close(WsCode code, std::string_view reason) {
    if (!is_open()) return;
    closing_ = true;
    closing_since_ = loop_.now();
    our_close_ = {static_cast<std::uint16_t>(code), std::string(reason)};
    if (!writing_) write_next();
}

void BeastSession::send_close() {
    websocket::close_reason reason(our_close_.code);
    reason.reason = our_close_.reason.substr(0, kCloseReasonBytes);
    ws_.async_close(reason, [self = self()](error_code) {
        // A reader that waits learns of the end by itself.
        if (!self->receiving_) self->finish(self->our_close_);
    });
}

void BeastSession::finish(WsClose how) {
    if (std::exchange(over_, true)) return;
    closed_ = closing_ && how.code == static_cast<std::uint16_t>(WsCode::lost) ? our_close_
                                                                               : std::move(how);
    outgoing_.clear();
    queued_bytes_ = 0;
    ws_.next_layer().transport().close();
    if (on_end_) {
        loop_.post([tell = std::move(on_end_), closed = closed_]() mutable { tell(closed); });
    }
    on_closing_ = {};
    on_room_ = {};
    if (on_over_) std::exchange(on_over_, {})();
}

void BeastSession::on_end(UniqueFunction<void(WsClose)> handler) {
    on_end_ = std::move(handler);
    if (over_ && on_end_) {
        loop_.post([tell = std::move(on_end_), closed = closed_]() mutable { tell(closed); });
    }
}

void BeastSession::tick(Mono now) {
    if (over_) return;
    if (closing_) {
        if (now - closing_since_ > options_.pong_timeout) finish(our_close_);
        return;
    }
    // Pongs are only seen while somebody reads.
    if (!receiving_) return;
    if (now - last_heard_ > options_.ping_interval + options_.pong_timeout) {
        return finish(WsClose{static_cast<std::uint16_t>(WsCode::lost), "the peer is silent"});
    }
    if (now - last_heard_ > options_.ping_interval && !std::exchange(ping_sent_, true)) {
        ws_.async_ping({}, [self = self()](error_code) {});
    }
}

void BeastSession::begin_drain() {
    if (on_closing_) return loop_.post(std::exchange(on_closing_, {}));
    close(WsCode::going_away, "the server is stopping");
}

}  // namespace

std::shared_ptr<WebSocketSession> WebSocketSession::create(Loop& loop, Transport transport,
                                                           std::string unread,
                                                           WebSocketOptions options, Task on_over) {
    return std::make_shared<BeastSession>(loop, std::move(transport), std::move(unread),
                                          std::move(options), std::move(on_over));
}

}  // namespace parley::net
