// SPDX-License-Identifier: Apache-2.0
// One connection of the server: a parser that is fed, one request in hand at a time, an output
// queue, one deadline that the sweep looks at. Requests that come ahead of their turn wait in
// `unread_`, and while too much output is unsent nobody has a turn. A read is awaited at all other
// times, so that a peer that leaves is noticed while a handler waits. Kept alive by what it waits
// for and by the handles (Exchange, Stream) to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/exchange.h"
#include "net/held_bytes.h"
#include "net/listener.h"
#include "net/out_queue.h"
#include "net/router.h"
#include "net/server_core.h"
#include "net/transport.h"
#include "net/write_pace.h"
#include "wire/http_parser.h"

namespace parley::net {

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(std::shared_ptr<ServerCore> core, Accepted accepted);
    ~Connection();

    // For the server.
    void start();
    void refuse_connection();  // over the limit: 503 and closed
    void tick(Mono now);
    void begin_drain();
    // Since when something that is held waits for the peer: to send on, or to read.
    std::optional<Mono> waits_since() const;
    std::size_t held_bytes() const;
    // The server holds too much, and this peer does not move.
    void give_up();
    // At once. The owner of a stream is told `why`.
    void cut(StreamEnd why);
    void flush();

    // For Exchange.
    const wire::Request& request() const { return parser_message_; }
    const wire::Query& query();
    std::string_view param(std::string_view name) const;
    const Peer& peer() const { return peer_; }
    ServerCore& core() { return *core_; }
    std::string request_id() const;
    const void* principal() const { return principal_.get(); }
    void add_header(std::string_view name, std::string_view value);
    void respond(Response response);
    void refuse(const Refusal& refusal);
    bool is_answered() const { return answer_ != Answer::none; }
    // A request that waits, a stream or a socket.
    bool is_unanswered() const { return answer_ != Answer::complete || phase_ == Phase::upgraded; }
    bool peer_gone() const { return peer_ended_ || phase_ == Phase::closed; }
    void on_peer_gone(Task task);
    void on_server_closing(Task task);
    void exchange_released();

    // For Stream. `start_stream` gives false when there is nothing to send to (HEAD, closed).
    bool start_stream(StreamOptions options);
    bool stream_open() const { return answer_ == Answer::streaming && phase_ != Phase::closed; }
    bool stream_send(const SharedChunk& chunk);
    bool stream_send(std::string_view bytes);
    void stream_end();
    void stream_abort();
    std::size_t queued_bytes() const { return out_.bytes(); }
    void on_queue_below(std::size_t bytes, Task task);
    void on_stream_end(UniqueFunction<void(StreamEnd)> handler);

    // For the WebSocket session: takes the socket and the bytes read ahead, and leaves this object
    // as its place in the server.
    struct Upgraded {
        Transport transport;
        std::string unread;
        wire::HeaderBlock headers;
    };
    std::optional<Upgraded> take_transport();
    void attach(std::weak_ptr<WebSocketPeer> session) { session_ = std::move(session); }
    void upgraded_closed();

private:
    static constexpr std::string_view kWentWrong = "Something went wrong on the server.";
    // `between` requests, in a `head` whose time is running, in a `body` whose head was judged:
    // these three read. `handling` lasts until the answer is complete and nobody looks at the
    // request.
    enum class Phase : std::uint8_t {
        handshake,
        between,
        head,
        body,
        handling,
        upgraded,
        lingering,
        closed
    };
    enum class Answer : std::uint8_t { none, streaming, complete };
    // What follows the answer in hand. Who may still be sending is lingered for.
    enum class After : std::uint8_t { next_request, close, linger };
    // What a read waits for; TLS may have to write before it can read on.
    enum class ReadWait : std::uint8_t { none, readable, writable };
    // Who goes on with the input: nobody, take_input() which is at it (the rest is in `rest_`), or
    // resume() which was posted. What comes meanwhile must wait behind what was read ahead.
    enum class Pump : std::uint8_t { idle, running, posted };
    enum class Framing : std::uint8_t { plain, chunked };

    // What only a stream needs; most connections never have it.
    struct StreamState {
        StreamOptions options;
        Framing framing = Framing::plain;
        UniqueFunction<void(StreamEnd)> on_end;
        Task on_queue_below;
        std::size_t low_bytes = 0;
        Mono last_sent = {};
    };

    // Reading (connection.cc).
    void arm_read();
    void on_readable();
    void on_peer_end();
    void take_input(std::string_view input);
    void resume();
    void continue_handshake();
    bool is_reading() const {
        return phase_ == Phase::between || phase_ == Phase::head || phase_ == Phase::body;
    }
    bool closes_after() const { return after_ != After::next_request; }
    void close_after_answer() { after_ = std::max(after_, After::close); }
    bool wants_more_input() const;
    bool is_choked() const { return out_.bytes() > core_->limits.unsent_bytes; }
    std::span<char> read_room();
    void resume_later();
    void count_held();

    // A request (connection_request.cc).
    void on_head();
    void on_message();
    void on_body_grown();
    void drop_body();
    void judge_request();
    void judge_again(Exchange exchange);
    Visit visit();
    bool admit(Visit& visit);
    bool is_body_short() const;
    bool check_route(const Visit& visit);
    std::optional<Refusal> no_route() const;
    std::optional<Refusal> check_query_and_body();
    void answer_early(Response response);
    void refuse_for_memory();
    static Refusal short_of_memory();
    void refuse_message(const wire::ParseFault& fault);
    void run_handler(Exchange exchange);
    void fail_handler(const std::exception_ptr& failure);
    void begin_request();
    void release_request();
    void finish_exchange();
    void write_record();

    // Output (connection_output.cc).
    void arm_write();
    void write_out();
    bool is_too_much(const Response& response) const;
    void refuse_late();
    void write_head(int status, std::string_view content_type, const wire::HeaderBlock& headers,
                    std::optional<std::uint64_t> length, Framing framing = Framing::plain);
    void on_flushed();
    bool finish_send(std::size_t bytes);
    void drop_stream();
    void close();
    void shut();
    void post(Task task);

    std::shared_ptr<ServerCore> core_;
    Transport transport_;
    Peer peer_;
    wire::RequestParser parser_;
    wire::Request& parser_message_;
    OutQueue out_;
    std::string unread_;

    Phase phase_ = Phase::between;
    Answer answer_ = Answer::complete;
    After after_ = After::next_request;
    ReadWait read_wait_ = ReadWait::none;
    Pump pump_ = Pump::idle;
    bool exchange_alive_ = false;
    bool write_armed_ = false;
    bool peer_ended_ = false;
    Mono deadline_ = Mono::max();
    WritePace pace_;
    HeldBytes held_;
    std::string_view rest_;  // of the input that take_input() is at

    // The request in hand.
    wire::Target target_;
    Router::Match match_;
    std::optional<wire::Query> query_;
    std::optional<Response> early_;    // decided at the head, sent after the body
    std::function<void(Task)> first_;  // before it is judged again, after the body
    wire::HeaderBlock extra_headers_;
    std::shared_ptr<const void> principal_;
    std::uint64_t request_number_ = 0;
    Mono started_at_ = {};
    int status_ = 0;
    wire::Method method_ = wire::Method::get;
    std::uint64_t request_bytes_ = 0;
    std::uint64_t response_bytes_ = 0;
    std::string kept_path_;  // of a stream whose request was given back
    std::vector<Task> on_gone_;
    std::vector<Task> on_closing_;
    std::unique_ptr<StreamState> stream_;
    std::weak_ptr<WebSocketPeer> session_;

    friend class ServerCore;
    friend class Exchange;
    std::optional<std::size_t> place_;  // in ServerCore::connections
    bool dirty_ = false;                // and among those that it flushes
};

}  // namespace parley::net
