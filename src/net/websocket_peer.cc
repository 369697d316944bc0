// SPDX-License-Identifier: Apache-2.0
#include "net/websocket_peer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "base/sizes.h"
#include "net/limits.h"
#include "net/secret.h"
#include "text/utf8.h"
#include "wire/header_text.h"
#include "wire/http_parser.h"
#include "wire/http_writer.h"
#include "wire/limits.h"

namespace parley::net {

namespace {

using boost::system::error_code;

wire::WsMask random_mask() {
    const std::string bytes = random_bytes(4);
    return {bytes[0], bytes[1], bytes[2], bytes[3]};
}

WsClose lost(std::string reason = {}) {
    return {static_cast<std::uint16_t>(WsCode::lost), std::move(reason)};
}

}  // namespace

WebSocketPeer::WebSocketPeer(Loop& loop, Side side, Transport transport, std::string unread,
                             WebSocketOptions options, Task on_over,
                             std::shared_ptr<HeldTotal> held)
    : loop_(loop),
      side_(side),
      transport_(std::move(transport)),
      options_(std::move(options)),
      on_over_(std::move(on_over)),
      parser_(side, options_.message_bytes_max),
      unread_(std::move(unread)),
      held_(std::move(held)),
      last_heard_(loop.now()) {}

// A turn of waiting for more to read; TLS may have to write first.
Co<std::tuple<error_code>> WebSocketPeer::input_ready() {
    if (std::exchange(input_, Input::ready) == Input::wants_write)
        return transport_.wait_writable(kUseCo);
    return transport_.wait_readable(kUseCo);
}

Co<std::optional<std::string>> WebSocketPeer::receive() {
    const auto keep = shared_from_this();
    ASSERT(!is_receiving_);
    is_receiving_ = true;
    last_heard_ = loop_.now();  // nothing was read while nobody waited: that was no silence
    while (true) {
        read_frames();
        if (message_ || is_over()) break;
        co_await input_ready();
    }
    is_receiving_ = false;
    co_return std::exchange(message_, std::nullopt);
}

// Until there is a message, or nothing more to read. A message ends it in the middle of what was
// read: what is left over comes before anything new.
void WebSocketPeer::read_frames() {
    while (!is_over() && !message_) {
        if (!unread_.empty()) {
            const std::string bytes = std::exchange(unread_, {});
            std::string_view input = bytes;
            take_frames(input);
            unread_.assign(input);
            continue;
        }
        if (input_ != Input::ready) return;
        std::array<char, limits::kPeerReadBytes> room;
        const Io got = transport_.read(room);
        switch (got.kind) {
            case Io::Kind::done: {
                last_heard_ = loop_.now();
                // What TLS has decrypted already no wait would announce.
                if (!transport_.has_buffered()) input_ = Input::drained;
                std::string_view input(room.data(), got.bytes);
                take_frames(input);
                unread_.assign(input);
                count_held();  // before it is judged
                give_up_growth();
                break;
            }
            case Io::Kind::want_read: input_ = Input::drained; break;
            case Io::Kind::want_write: input_ = Input::wants_write; break;
            case Io::Kind::end:
            case Io::Kind::failed: finish(lost()); break;
        }
    }
}

// Until there is a message, or the input is used up.
void WebSocketPeer::take_frames(std::string_view& input) {
    while (!is_over() && !message_) {
        switch (parser_.step(input)) {
            case Step::need_more: return;
            case Step::text: message_ = parser_.take_message(); break;
            case Step::binary: close(WsCode::unsupported, "only text messages are taken"); break;
            case Step::ping:
                is_ping_open_ = false;
                pong_ = parser_.control();
                answer_ping();
                break;
            case Step::pong: is_ping_open_ = false; break;
            case Step::close: answer_close(); break;
            case Step::failed: fail(parser_.fault()); break;
        }
    }
}

// One at a time: of several pings only the newest must be answered (RFC 6455, 5.5.3), so a peer
// that does not read cannot make us keep pongs for it. Nothing may follow a close.
void WebSocketPeer::answer_ping() {
    if (!pong_ || phase_ != Phase::open || output_ == Output::waiting) return;
    const std::string payload = std::move(*pong_);
    pong_.reset();
    (void)queue(wire::WsOpcode::pong, payload);
}

void WebSocketPeer::answer_close() {
    const std::uint16_t code = parser_.close_code();
    if (phase_ == Phase::open) {
        const bool has_code = code != static_cast<std::uint16_t>(WsCode::none);
        say_last({has_code ? code : static_cast<std::uint16_t>(WsCode::normal)});
    }
    finish({code, std::string(parser_.control())});
}

void WebSocketPeer::fail(const wire::WsFault& fault) {
    const auto code = static_cast<std::uint16_t>(fault.code);
    if (phase_ == Phase::open) say_last({code});
    finish({code, std::string(fault.detail)});
}

// The last that the peer is told, as far as it reads now.
void WebSocketPeer::say_last(const WsClose& close) {
    queue_close(close);
    flush();
    if (!is_over()) transport_.finish_writing();
}

bool WebSocketPeer::is_copied(std::string_view text) const {
    return side_ == Side::client || text.size() <= limits::kCopiedBytes;
}

bool WebSocketPeer::send(std::string text) {
    if (!is_open()) return false;
    if (is_copied(text)) return queue(wire::WsOpcode::text, text);
    return send(std::make_shared<const std::string>(std::move(text)));
}

bool WebSocketPeer::send(const SharedText& text) {
    if (!is_open()) return false;
    if (is_copied(*text)) return queue(wire::WsOpcode::text, *text);
    std::string& out = out_.open();
    const std::size_t before = out.size();
    wire::append_frame_head(out, wire::WsOpcode::text, text->size());
    out_.grown(out.size() - before);
    out_.share(text, *text);
    return finish_queueing();
}

bool WebSocketPeer::queue(wire::WsOpcode opcode, std::string_view payload) {
    std::string& out = out_.open();
    const std::size_t before = out.size();
    if (side_ == Side::client) {
        wire::append_masked_frame(out, opcode, payload, random_mask());
    } else {
        wire::append_frame_head(out, opcode, payload.size());
        out.append(payload);
    }
    out_.grown(out.size() - before);
    return finish_queueing();
}

bool WebSocketPeer::finish_queueing() {
    const std::size_t bound = options_.queue_bytes_max;
    if (out_.bytes() > bound) {
        flush();  // what is queued in one turn of the loop is not yet the peer's fault
        if (out_.bytes() > bound) finish(lost("the peer reads too slowly"));
        if (is_over()) return false;
    }
    if (output_ == Output::idle) {
        output_ = Output::flush_posted;
        loop_.post([self = shared_from_this()] {
            // A flush in between may have begun to wait, and goes on by itself.
            if (self->output_ == Output::flush_posted) self->output_ = Output::idle;
            self->flush();
        });
    }
    return true;
}

void WebSocketPeer::queue_close(const WsClose& close) {
    std::string payload = {static_cast<char>(close.code >> 8U), static_cast<char>(close.code)};
    std::size_t size = std::min(close.reason.size(), limits::kWsControlBytes - payload.size());
    // Clients take half a character for a broken frame.
    while (size > 0 && !utf8::is_valid(std::string_view(close.reason).substr(0, size))) --size;
    payload.append(close.reason, 0, size);
    (void)queue(wire::WsOpcode::close, payload);
}

void WebSocketPeer::flush() {
    while (!is_over() && output_ != Output::waiting && !out_.empty()) {
        std::array<iovec, limits::kPartsPerWrite> parts;
        const std::size_t count = out_.gather(parts);
        const Io put = transport_.write({parts.data(), count});
        switch (put.kind) {
            case Io::Kind::done:
                out_.consume(put.bytes);
                pace_.took(put.bytes);
                break;
            case Io::Kind::want_read:
            case Io::Kind::want_write: wait_to_write(put.kind); break;
            case Io::Kind::end:
            case Io::Kind::failed: return finish(lost());
        }
    }
    if (out_.empty()) pace_.clear();
    out_.release_if_empty();
    answer_ping();  // one that came while there was no room
    count_held();
    tell_of_room();
}

void WebSocketPeer::wait_to_write(Io::Kind need) {
    output_ = Output::waiting;
    pace_.wait(loop_.now());
    auto ready = [self = shared_from_this()](error_code) {
        self->output_ = Output::idle;
        self->flush();
    };
    if (need == Io::Kind::want_read) return transport_.wait_readable(std::move(ready));
    transport_.wait_writable(std::move(ready));
}

void WebSocketPeer::on_queue_below(std::size_t bytes, Task task) {
    if (is_over()) return;
    on_room_ = std::move(task);
    room_below_ = bytes;
    tell_of_room();
}

void WebSocketPeer::tell_of_room() {
    if (on_room_ && out_.bytes() <= room_below_) loop_.post(std::exchange(on_room_, {}));
}

void WebSocketPeer::close(WsCode code, std::string_view reason) {
    if (!is_open()) return;
    phase_ = Phase::closing;
    closing_since_ = loop_.now();
    our_close_ = {static_cast<std::uint16_t>(code), std::string(reason)};  // finish() may want it
    queue_close(our_close_);
    flush();
    // The owner may not wait for the peer's answer.
    loop_.post([self = shared_from_this()] { self->await_close(); });
}

// Where nobody receives: drops what comes until the peer has closed too.
void WebSocketPeer::await_close() {
    if (is_over() || is_receiving_) return;
    do {
        message_.reset();
        read_frames();
    } while (message_);
    if (is_over()) return;
    auto go_on = [self = shared_from_this()](error_code) { self->await_close(); };
    if (std::exchange(input_, Input::ready) == Input::wants_write)
        return transport_.wait_writable(std::move(go_on));
    transport_.wait_readable(std::move(go_on));
}

void WebSocketPeer::cut() {
    finish(lost());
}

void WebSocketPeer::stop() {
    finish({static_cast<std::uint16_t>(WsCode::going_away), "the server stopped"});
}

void WebSocketPeer::finish(WsClose how) {
    if (is_over()) return;
    const bool was_closing = std::exchange(phase_, Phase::over) == Phase::closing;
    const bool is_lost = how.code == static_cast<std::uint16_t>(WsCode::lost);
    // Peers that are told to go often just go.
    closed_ = was_closing && is_lost ? our_close_ : std::move(how);
    out_.clear();
    held_.set(0);
    transport_.close();
    // What they hold may hold this.
    on_closing_ = {};
    on_room_ = {};
    if (on_over_) std::exchange(on_over_, {})();
}

void WebSocketPeer::tick(Mono now) {
    if (is_over()) return;
    if (pace_.is_stalled(now, options_.stall_timeout, options_.write_bytes_min))
        return finish(lost("the peer reads too slowly"));
    if (phase_ == Phase::closing) {
        if (now - closing_since_ > options_.pong_timeout) finish(our_close_);
        return;
    }
    // Pongs are only seen while somebody reads.
    if (!is_receiving_) return;
    if (now - last_heard_ > options_.ping_interval + options_.pong_timeout)
        return finish(lost("the peer is silent"));
    if (now - last_heard_ > options_.ping_interval && !std::exchange(is_ping_open_, true))
        (void)queue(wire::WsOpcode::ping, {});
}

void WebSocketPeer::set_bounds(std::size_t message_bytes_max, std::size_t queue_bytes_max) {
    parser_.limit_messages(message_bytes_max);
    options_.queue_bytes_max = queue_bytes_max;
}

std::optional<Mono> WebSocketPeer::waits_since() const {
    if (pace_.is_waiting()) return pace_.since();
    if (message_begun_ != Mono::max()) return message_begun_;
    return std::nullopt;
}

void WebSocketPeer::count_held() {
    const std::size_t unfinished = parser_.unfinished_bytes();
    if (unfinished == 0) {
        message_begun_ = Mono::max();
    } else if (message_begun_ == Mono::max()) {
        message_begun_ = loop_.now();
    }
    if (!is_over()) held_.set(out_.held() + unfinished);
}

// A message that is put together while the server holds too much is given up.
void WebSocketPeer::give_up_growth() {
    if (is_over() || parser_.unfinished_bytes() <= limits::kUnsentBytes || !held_.is_full()) return;
    fail({WsCode::try_later, "the server holds too much for others at the moment"});
}

void WebSocketPeer::begin_drain() {
    if (on_closing_) return loop_.post(std::exchange(on_closing_, {}));
    close(WsCode::going_away, "the server is stopping");
}

}  // namespace parley::net
