// SPDX-License-Identifier: Apache-2.0
// The writing side of a connection: answers, streams, and getting bytes out.
#include <array>
#include <utility>

#include "net/connection.h"
#include "net/limits.h"
#include "net/retry_after.h"

namespace parley::net {

namespace {

bool may_have_body(int status) {
    return status >= 200 && status != 204 && status != 304;
}

// What a response says about caching counts before what is said with all of them.
void append_fields(std::string& out, std::string_view common, std::string_view own) {
    constexpr std::string_view kCaching = "Cache-Control: ";
    const std::size_t at = own.find(kCaching) == own.npos ? common.npos : common.find(kCaching);
    out.append(common.substr(0, at));
    if (at != common.npos) out.append(common.substr(common.find('\n', at) + 1));
    out.append(own);
}

}  // namespace

void Connection::add_header(std::string_view name, std::string_view value) {
    extra_headers_.add(name, value);
}

void Connection::write_head(int status, std::string_view content_type,
                            const wire::HeaderBlock& headers, std::optional<std::uint64_t> length,
                            Framing framing) {
    std::string& out = out_.open();
    const std::size_t before = out.size();
    wire::append_status_line(out, status);
    out.append(core_->date);
    if (!content_type.empty()) wire::append_field(out, "Content-Type", content_type);
    if (length) wire::append_field(out, "Content-Length", *length);
    if (framing == Framing::chunked) out.append("Transfer-Encoding: chunked\r\n");
    if (closes_after()) {
        out.append("Connection: close\r\n");
    } else if (parser_message_.minor_version == 0) {
        out.append("Connection: keep-alive\r\n");
    }
    append_fields(out, extra_headers_.text(), headers.text());
    wire::end_head(out);
    out_.grown(out.size() - before);
    status_ = status;
}

void Connection::respond(Response response) {
    ASSERT(answer_ == Answer::none);
    if (is_too_much(response)) return refuse_late();
    answer_ = Answer::complete;
    if (phase_ == Phase::closed) return;
    add_retry_after(response);
    const std::size_t before = out_.bytes();
    const bool bodied = may_have_body(response.status);
    write_head(response.status, response.content_type, response.headers,
               bodied ? std::optional<std::uint64_t>(response.body.size()) : std::nullopt);
    if (bodied && method_ != wire::Method::head) out_.body(std::move(response.body));
    response_bytes_ = out_.bytes() - before;
    count_held();
    // Answers that come of one commit leave one after another: a peer that is busy with the first
    // need not be woken for the next.
    if (pump_ != Pump::running) core_->flush_later(shared_from_this());
}

// Many may have been let in before the first answer was made. What only reads can be asked for
// again.
bool Connection::is_too_much(const Response& response) const {
    return method_ == wire::Method::get && !peer_.is_local() && core_->held->is_full() &&
           response.body.size() > limits::kUnsentBytes;
}

void Connection::refuse_late() {
    ++core_->counts.refused_full_total;
    refuse(short_of_memory());
}

Refusal Connection::short_of_memory() {
    return {.status = 503,
            .detail = "The server holds too much for others at the moment. Try again soon."};
}

void Connection::refuse(const Refusal& refusal) {
    const bool readable = !parser_message_.target.empty();
    respond(core_->router.shape(refusal, readable ? &parser_message_ : nullptr));
}

bool Connection::start_stream(StreamOptions options) {
    ASSERT(answer_ == Answer::none);
    answer_ = Answer::complete;
    if (phase_ == Phase::closed) return false;
    const bool ends_with_connection = parser_message_.minor_version == 0;
    const Framing framing =
        ends_with_connection || method_ == wire::Method::head ? Framing::plain : Framing::chunked;
    if (ends_with_connection) close_after_answer();
    const std::size_t before = out_.bytes();
    write_head(options.status, options.content_type, options.headers, std::nullopt, framing);
    response_bytes_ = out_.bytes() - before;
    if (method_ == wire::Method::head) {
        if (pump_ != Pump::running) flush();
        return false;
    }
    answer_ = Answer::streaming;
    stream_ = std::make_unique<StreamState>();
    stream_->framing = framing;
    stream_->options = std::move(options);
    stream_->options.headers = {};
    stream_->last_sent = core_->loop.now();
    ++core_->counts.streams;
    if (pump_ != Pump::running) core_->flush_later(shared_from_this());
    return true;
}

bool Connection::stream_send(const SharedChunk& chunk) {
    if (!stream_open()) return false;
    const bool is_chunked = stream_->framing == Framing::chunked;
    const std::string_view bytes = is_chunked ? std::string_view(*chunk.framed()) : chunk.payload();
    out_.share(chunk.framed(), bytes);
    return finish_send(bytes.size());
}

bool Connection::stream_send(std::string_view bytes) {
    if (!stream_open()) return false;
    if (bytes.empty()) return true;
    std::string& out = out_.open();
    const std::size_t before = out.size();
    if (stream_->framing == Framing::chunked) {
        wire::append_chunk(out, bytes);
    } else {
        out.append(bytes);
    }
    const std::size_t added = out.size() - before;
    out_.grown(added);
    return finish_send(added);
}

bool Connection::finish_send(std::size_t bytes) {
    response_bytes_ += bytes;
    count_held();
    stream_->last_sent = core_->loop.now();
    // While all together hold too much, nobody's queue may grow who does not read.
    const bool is_full = core_->held->is_full() && !peer_.is_local();
    const std::size_t bound = is_full ? limits::kUnsentBytes : stream_->options.queue_bytes_max;
    if (out_.bytes() > bound) {
        flush();  // what is queued in one turn of the loop is not yet the peer's fault
        if (!stream_open()) return false;
        if (out_.bytes() > bound) {
            cut(StreamEnd::too_slow);
            return false;
        }
    }
    if (pump_ != Pump::running && !write_armed_) core_->flush_later(shared_from_this());
    return true;
}

void Connection::stream_end() {
    if (!stream_open()) return;
    if (stream_->framing == Framing::chunked) out_.copy(wire::kLastChunk);
    answer_ = Answer::complete;
    if (!exchange_alive_) finish_exchange();
    if (pump_ != Pump::running) flush();
}

void Connection::stream_abort() {
    if (!stream_open()) return;
    answer_ = Answer::complete;
    close_after_answer();
    if (!exchange_alive_) finish_exchange();
    if (pump_ != Pump::running) flush();
}

void Connection::drop_stream() {
    if (!stream_) return;
    stream_.reset();
    --core_->counts.streams;
}

void Connection::on_queue_below(std::size_t bytes, Task task) {
    if (!stream_open() || out_.bytes() <= bytes) return post(std::move(task));
    stream_->low_bytes = bytes;
    stream_->on_queue_below = std::move(task);
}

void Connection::on_stream_end(UniqueFunction<void(StreamEnd)> handler) {
    if (!stream_open()) {
        return post([tell = std::move(handler)]() mutable { tell(StreamEnd::peer_closed); });
    }
    stream_->on_end = std::move(handler);
}

void Connection::on_peer_gone(Task task) {
    if (peer_gone()) return post(std::move(task));
    on_gone_.push_back(std::move(task));
}

void Connection::on_server_closing(Task task) {
    if (core_->draining) return post(std::move(task));
    on_closing_.push_back(std::move(task));
}

void Connection::flush() {
    write_out();
    count_held();
}

// Written at once and only then waited for: most answers fit into the socket's buffer, and a wait
// costs two more system calls.
void Connection::write_out() {
    if (write_armed_ || phase_ == Phase::closed || phase_ == Phase::handshake) return;
    if (phase_ == Phase::upgraded) return;
    while (!out_.empty()) {
        std::array<iovec, limits::kPartsPerWrite> parts;
        const std::size_t count = out_.gather(parts);
        const Io put = transport_.write({parts.data(), count});
        if (put.kind == Io::Kind::done) {
            out_.consume(put.bytes);
            pace_.took(put.bytes);
            continue;
        }
        if (put.kind == Io::Kind::want_read) return arm_read();
        if (put.kind == Io::Kind::want_write) {
            arm_write();
            break;
        }
        return cut(StreamEnd::peer_closed);
    }
    if (stream_ && stream_->on_queue_below && out_.bytes() <= stream_->low_bytes) {
        post(std::exchange(stream_->on_queue_below, {}));
    }
    if (out_.empty()) {
        pace_.clear();
        on_flushed();
    }
    if (is_reading() && pump_ != Pump::running && !is_choked()) {
        if (!unread_.empty()) return resume_later();
        arm_read();
    }
}

// All answers have left. Only now may the connection end, or its peer would miss the last one.
void Connection::on_flushed() {
    out_.release_if_empty();
    const bool over = answer_ == Answer::complete && !exchange_alive_ && closes_after();
    if (phase_ == Phase::handling && over && request_number_ == 0) return shut();
    if (!is_reading() || !unread_.empty()) return;
    if (peer_ended_) return close();
    if (closes_after() && !parser_.started()) shut();
}

void Connection::arm_write() {
    pace_.wait(core_->loop.now());
    if (write_armed_) return;
    write_armed_ = true;
    transport_.wait_writable([self = shared_from_this()](boost::system::error_code error) {
        self->write_armed_ = false;
        if (error) return;
        if (self->phase_ == Phase::handshake) return self->continue_handshake();
        self->flush();
        if (self->read_wait_ == ReadWait::writable) {
            self->read_wait_ = ReadWait::none;
            self->on_readable();
        }
    });
}

// The socket leaves with everything that was read ahead: it may hold the peer's first frames. Not
// while an earlier answer is unsent: the peer would read it as frames.
std::optional<Connection::Upgraded> Connection::take_transport() {
    flush();  // answers to earlier requests
    if (phase_ != Phase::handling || peer_ended_ || !out_.empty()) return std::nullopt;
    answer_ = Answer::complete;
    status_ = 101;
    unread_.append(std::exchange(rest_, {}));
    transport_.cancel_waits();
    phase_ = Phase::upgraded;
    ++core_->counts.websockets;
    return Upgraded{std::move(transport_), std::exchange(unread_, {}), extra_headers_};
}

void Connection::upgraded_closed() {
    if (phase_ != Phase::upgraded) return;
    --core_->counts.websockets;
    write_record();
    phase_ = Phase::closed;
    core_->remove(*this);
}

}  // namespace parley::net
