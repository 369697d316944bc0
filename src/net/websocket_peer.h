// SPDX-License-Identifier: Apache-2.0
// The inside of a WebSocket: frames over a Transport. What is sent in one turn of the loop leaves
// together. Shared by the handle, by what it waits for and (weakly) by the connection that it came
// from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "net/held_bytes.h"
#include "net/loop.h"
#include "net/out_queue.h"
#include "net/transport.h"
#include "net/websocket.h"
#include "net/write_pace.h"
#include "wire/http_message.h"
#include "wire/websocket_frames.h"

namespace parley::net {

class WebSocketPeer : public std::enable_shared_from_this<WebSocketPeer> {
public:
    using Side = wire::WsParser::Side;

    // `unread` was read together with the handshake. `on_over` runs once, when the socket is closed
    // for whatever reason.
    WebSocketPeer(Loop& loop, Side side, Transport transport, std::string unread,
                  WebSocketOptions options, Task on_over, std::shared_ptr<HeldTotal> held = {});

    // Server: answers the handshake in `request`.
    void accept(const wire::Request& request);
    // Client: makes the handshake.
    Co<Result<void>> handshake(std::string host, std::string target);

    bool is_open() const { return phase_ == Phase::open; }
    Co<std::optional<std::string>> receive();
    bool send(std::string text);
    bool send(const SharedText& text);
    std::size_t queued_bytes() const { return out_.bytes(); }
    std::size_t held_bytes() const { return held_.bytes(); }
    std::optional<Mono> waits_since() const;
    void set_bounds(std::size_t message_bytes_max, std::size_t queue_bytes_max);
    void on_queue_below(std::size_t bytes, Task task);
    void close(WsCode code, std::string_view reason);
    void cut();
    const WsClose& closed() const { return closed_; }
    void on_closing(Task task) { on_closing_ = std::move(task); }

    // By the server's sweep, or a client's own timer.
    void tick(Mono now);
    void begin_drain();
    // The server ends: like cut(), but it says why.
    void stop();

private:
    using Step = wire::WsParser::Step;

    // In `closing` our close is sent and the peer's is awaited; nothing may be sent after it.
    enum class Phase : std::uint8_t { open, closing, over };
    // `drained`: nothing more is read before the next wait, so that others have their turn. TLS may
    // have to write before it can read on.
    enum class Input : std::uint8_t { ready, drained, wants_write };
    enum class Output : std::uint8_t { idle, flush_posted, waiting };

    bool is_over() const { return phase_ == Phase::over; }
    void send_head(std::string head);
    Co<Result<std::string>> read_handshake(std::string key);
    Co<std::tuple<boost::system::error_code>> input_ready();
    void read_frames();
    void take_frames(std::string_view& input);
    void answer_ping();
    void count_held();
    void give_up_growth();
    void answer_close();
    void fail(const wire::WsFault& fault);
    void say_last(const WsClose& close);
    void await_close();

    // A mask is a change; and a copy of few bytes costs less than another segment.
    bool is_copied(std::string_view text) const;
    bool queue(wire::WsOpcode opcode, std::string_view payload);
    void queue_close(const WsClose& close);
    bool finish_queueing();
    void flush();
    void wait_to_write(Io::Kind need);
    void tell_of_room();
    void finish(WsClose how);

    Loop& loop_;
    Side side_;
    Transport transport_;
    WebSocketOptions options_;
    Task on_over_;
    wire::WsParser parser_;
    std::string unread_;                  // read, and not yet looked at
    std::optional<std::string> message_;  // for the next receive()
    OutQueue out_;
    WritePace pace_;
    HeldBytes held_;
    std::optional<std::string> pong_;  // to be sent when there is room; the newest counts
    Mono message_begun_ = Mono::max();
    Mono last_heard_;
    Mono closing_since_ = {};
    WsClose closed_;
    WsClose our_close_;
    Task on_closing_;
    Task on_room_;
    std::size_t room_below_ = 0;
    Phase phase_ = Phase::open;
    Input input_ = Input::ready;
    Output output_ = Output::idle;
    bool is_receiving_ = false;
    bool is_ping_open_ = false;  // ours, and nothing was heard since
};

}  // namespace parley::net
