// SPDX-License-Identifier: Apache-2.0
// Life of a connection and its reading side.
#include "net/connection.h"

#include <utility>

#include "net/limits.h"
#include "net/websocket_peer.h"

namespace parley::net {

namespace {

wire::ParserLimits parser_limits(const ServerLimits& limits) {
    return {.head_bytes_max = limits.head_bytes_max, .target_bytes_max = limits.target_bytes_max};
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerCore> core, Accepted accepted)
    : core_(std::move(core)),
      transport_(core_->loop, accepted.descriptor, accepted.family),
      peer_(std::move(accepted.peer)),
      parser_(parser_limits(core_->limits)),
      parser_message_(parser_.message()),
      held_(core_->held) {
    if (accepted.tls) {
        transport_.start_tls_server(accepted.tls->context());
        phase_ = Phase::handshake;
    }
    core_->add(*this);
}

Connection::~Connection() {
    core_->remove(*this);
}

void Connection::start() {
    const Mono now = core_->loop.now();
    if (phase_ == Phase::handshake) {
        deadline_ = now + core_->limits.handshake_timeout;
        return continue_handshake();
    }
    deadline_ = now + core_->limits.idle_timeout;
    arm_read();
}

// Before a handshake nothing can be said that the peer would understand.
void Connection::refuse_connection() {
    if (phase_ == Phase::handshake) return cut(StreamEnd::peer_closed);
    after_ = After::linger;
    const Refusal refusal{.status = 503, .detail = "The server has too many connections."};
    answer_ = Answer::none;
    phase_ = Phase::handling;
    respond(core_->router.shape(refusal, nullptr));
    flush();
}

void Connection::continue_handshake() {
    const Io step = transport_.handshake();
    switch (step.kind) {
        case Io::Kind::done:
            phase_ = Phase::between;
            deadline_ = core_->loop.now() + core_->limits.idle_timeout;
            return on_readable();
        case Io::Kind::want_read: return arm_read();
        case Io::Kind::want_write: return arm_write();
        case Io::Kind::end:
        case Io::Kind::failed:
            core_->report(Trouble::Kind::tls_failed, transport_.tls_error(), &peer_);
            return close();
    }
}

// While a request is in hand reading goes on, for two reasons: a peer that leaves must be noticed,
// and the next request may come. It is kept, not parsed, and not much of it: then the socket's own
// buffer fills and the peer has to wait. Who does not read its answers may send no more requests.
bool Connection::wants_more_input() const {
    if (phase_ == Phase::closed || phase_ == Phase::upgraded || peer_ended_) return false;
    return unread_.size() < limits::kReadAheadBytes && (!is_reading() || !is_choked());
}

// Bodies are read in large pieces; a stranger's requests are not worth so much memory.
std::span<char> Connection::read_room() {
    const std::span<char> all = core_->read_buffer;
    const bool is_body = phase_ == Phase::body && !early_;
    return is_body ? all : all.first(std::min(all.size(), limits::kHeadReadBytes));
}

void Connection::arm_read() {
    // Where TLS must write first, reading goes on after that.
    if (read_wait_ != ReadWait::none || !wants_more_input()) return;
    read_wait_ = ReadWait::readable;
    transport_.wait_readable([self = shared_from_this()](boost::system::error_code error) {
        self->read_wait_ = ReadWait::none;
        if (!error) self->on_readable();
    });
}

void Connection::on_readable() {
    if (phase_ == Phase::handshake) return continue_handshake();
    while (wants_more_input()) {
        const std::span<char> room = read_room();
        const Io got = transport_.read(room);
        if (got.kind == Io::Kind::done) {
            const std::string_view input(room.data(), got.bytes);
            if (pump_ == Pump::posted) {
                unread_.append(input);  // what was read ahead comes first
            } else {
                take_input(input);
            }
            // A short read has emptied the socket; asking again would only cost a call.
            if (got.bytes < room.size() && !transport_.has_buffered()) break;
            continue;
        }
        if (got.kind == Io::Kind::want_read) break;
        if (got.kind == Io::Kind::want_write) {
            read_wait_ = ReadWait::writable;
            return arm_write();
        }
        if (got.kind == Io::Kind::failed) return cut(StreamEnd::peer_closed);
        return on_peer_end();
    }
    if (!write_armed_) flush();  // TLS may have waited for input before it could write
    arm_read();
}

// The peer has closed, or half closed, its side.
void Connection::on_peer_end() {
    peer_ended_ = true;
    switch (phase_) {
        case Phase::handling:
            if (answer_ == Answer::streaming) return cut(StreamEnd::peer_closed);
            for (Task& task : std::exchange(on_gone_, {})) post(std::move(task));
            return;
        case Phase::between:
        case Phase::head:
        case Phase::body:
            if (pump_ == Pump::posted) return;  // and comes back
            if (out_.empty()) return close();
            close_after_answer();
            return;
        case Phase::handshake:
        case Phase::lingering: return close();
        case Phase::upgraded:
        case Phase::closed: return;
    }
}

// Parses and handles what it can; the rest waits until the request in hand is answered. Handlers
// that answer at once are run in a row, and their answers leave together.
void Connection::take_input(std::string_view input) {
    pump_ = Pump::running;
    rest_ = input;
    while (is_reading()) {
        if (is_choked() && !parser_.started()) {
            flush();
            if (!is_reading() || is_choked()) break;
        }
        switch (parser_.step(rest_)) {
            case wire::Step::head: on_head(); continue;
            case wire::Step::done: on_message(); break;
            case wire::Step::failed: refuse_message(parser_.fault()); break;
            case wire::Step::need_more:
                if (phase_ == Phase::between && parser_.started()) {
                    phase_ = Phase::head;
                    deadline_ = core_->loop.now() + core_->limits.head_timeout;
                }
                if (phase_ == Phase::body) on_body_grown();
                break;
        }
        if (rest_.empty()) break;
    }
    pump_ = Pump::idle;
    if (phase_ == Phase::handling || is_reading()) unread_.append(rest_);
    rest_ = {};
    flush();
}

// Nothing is kept of a body that is not used; and a server that holds too much gives up the one
// that grows.
void Connection::on_body_grown() {
    if (early_) {
        std::string().swap(parser_message_.body);
    } else if (core_->held->is_full() && parser_message_.body.size() > limits::kUnsentBytes) {
        refuse_message({503, short_of_memory().detail});
    }
}

// Not at once: we may be deep inside somebody's callback.
void Connection::resume_later() {
    if (std::exchange(pump_, Pump::posted) == Pump::posted) return;
    post([self = shared_from_this()] { self->resume(); });
}

// After an answer that came later, or left later: what was read ahead is the next request.
void Connection::resume() {
    pump_ = Pump::idle;
    if (!is_reading()) return;
    const std::string input = std::exchange(unread_, {});
    take_input(input);
    if (phase_ == Phase::closed) return;
    if (peer_ended_ && is_reading()) return on_peer_end();
    if (transport_.has_buffered()) return on_readable();
    arm_read();
}

// One sweep over all connections instead of a timer for each: timers of ten thousand connections
// that are armed and moved at every request cost more than looking at them once in a while. The
// limits are therefore kept to within a sweep.
void Connection::tick(Mono now) {
    if (phase_ == Phase::closed) return;
    if (phase_ == Phase::upgraded) {
        if (const auto session = session_.lock()) session->tick(now);
        return;
    }
    if (pace_.is_stalled(now, core_->limits.write_stall_timeout, core_->limits.write_bytes_min)) {
        ++core_->counts.timed_out_total;
        return cut(StreamEnd::too_slow);
    }
    if (answer_ == Answer::streaming) {
        const StreamOptions& options = stream_->options;
        if (!options.heartbeat.empty() && out_.empty() &&
            now - stream_->last_sent >= options.heartbeat_interval) {
            stream_send(options.heartbeat);
        }
        return;
    }
    if (phase_ == Phase::handling || now < deadline_) return;
    const bool is_half_sent = is_reading() && parser_.started();
    // Whose answers are not read yet is judged by how it reads.
    if (!is_half_sent && !out_.empty()) return;
    ++core_->counts.timed_out_total;
    if (is_half_sent) return refuse_message({408, "The request took too long to arrive."});
    close();
}

std::size_t Connection::held_bytes() const {
    const auto session = session_.lock();
    return session ? session->held_bytes() : held_.bytes();
}

std::optional<Mono> Connection::waits_since() const {
    if (const auto session = session_.lock()) return session->waits_since();
    if (pace_.is_waiting()) return pace_.since();
    if (phase_ == Phase::body) return started_at_;
    if (phase_ == Phase::head) return deadline_ - core_->limits.head_timeout;
    return std::nullopt;
}

void Connection::give_up() {
    ++core_->counts.given_up_total;
    cut(StreamEnd::too_slow);
}

// By capacity: that is what the machine has given.
void Connection::count_held() {
    if (phase_ == Phase::closed || phase_ == Phase::upgraded) return held_.set(0);
    held_.set(out_.held() + unread_.capacity() + parser_message_.body.capacity());
}

// The request in hand is still answered; handlers that wait for a person are told to end by
// themselves.
void Connection::begin_drain() {
    if (phase_ == Phase::upgraded) {
        if (const auto session = session_.lock()) session->begin_drain();
        return;
    }
    close_after_answer();
    for (Task& task : std::exchange(on_closing_, {})) post(std::move(task));
    if (phase_ == Phase::handshake) return close();
    if (phase_ == Phase::between && out_.empty()) shut();
}

void Connection::cut(StreamEnd why) {
    if (phase_ == Phase::closed) return;
    if (phase_ == Phase::upgraded) {
        if (const auto session = session_.lock()) session->stop();
        return upgraded_closed();
    }
    if (why == StreamEnd::too_slow && answer_ == Answer::streaming) {
        ++core_->counts.cut_slow_total;
        core_->report(Trouble::Kind::stream_too_slow, "the peer does not read its stream", &peer_);
    }
    if (stream_ && stream_->on_end) {
        post([tell = std::move(stream_->on_end), why]() mutable { tell(why); });
    }
    close();
}

// Callbacks are posted, never called: close() is reached from inside handlers, from the sweep and
// from writes, and whoever is told may destroy what is below us on the stack.
void Connection::close() {
    if (phase_ == Phase::closed) return;
    const bool unfinished = answer_ != Answer::complete && request_number_ != 0;
    phase_ = Phase::closed;
    if (unfinished) write_record();
    if (stream_ && stream_->on_queue_below) post(std::move(stream_->on_queue_below));
    drop_stream();
    out_.clear();
    unread_.clear();
    held_.set(0);
    for (Task& task : std::exchange(on_gone_, {})) post(std::move(task));
    on_closing_.clear();
    transport_.close();
    core_->remove(*this);
}

// A close that lets the peer read our last words. Where it may still be sending, its bytes are read
// for a while: unread, they would make the kernel reset the connection, and the answer with it.
void Connection::shut() {
    transport_.finish_writing();
    if (after_ != After::linger || peer_ended_) return close();
    phase_ = Phase::lingering;
    deadline_ = core_->loop.now() + core_->limits.linger_timeout;
    arm_read();
}

void Connection::post(Task task) {
    core_->loop.post(std::move(task));
}

}  // namespace parley::net
