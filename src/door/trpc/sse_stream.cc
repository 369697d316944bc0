// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/sse_stream.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "door/limits.h"

namespace parley::trpc {

namespace {

net::StreamOptions stream_options() {
    net::StreamOptions options = net::sse_options();
    // The pump keeps the queue short; what can still be long is one event.
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    // A comment would not reach the client's clock of inactivity.
    static const net::SharedChunk ping = net::SharedChunk::sse({.data = "", .event = "ping"});
    options.heartbeat = ping;
    return options;
}

// Tells nobody anything, but is what a client that reconnects says it has seen.
void append_mark(std::string& out, const std::string& id) {
    wire::append_sse(out, {.data = "", .event = "restore-id", .id = id});
}

// The header is what an EventSource sends by itself; the parameters are for those that cannot.
std::optional<std::string> last_event_id(const net::Exchange& exchange) {
    if (const auto header = exchange.header("last-event-id"); !header.empty())
        return std::string(header);
    for (const std::string_view name : {"lastEventId", "Last-Event-Id"})
        if (const auto id = exchange.query().find(name)) return std::string(*id);
    return std::nullopt;
}

void append_connected(std::string& out, std::string_view data) {
    wire::append_sse(out, {.data = data,
                           .event = "connected",
                           .retry_ms = std::chrono::milliseconds(limits::kTrpcRetry).count()});
}

void append_error(std::string& out, const Failure& failure, std::string_view path) {
    const std::string shape = error_shape(failure, path);
    wire::append_sse(out, {.data = shape, .event = "serialized-error"});
}

}  // namespace

std::string refused_stream(const Failure& failure, std::string_view path) {
    std::string text;
    append_connected(text, "{}");
    append_error(text, failure, path);
    return text;
}

void reply_refused_stream(net::Exchange& exchange, const Failure& failure, std::string_view path) {
    exchange.respond(
        {.content_type = net::kEventStream, .body = net::Body(refused_stream(failure, path))});
}

void SseStream::serve(FramePump::Wiring wiring, net::Exchange exchange, const Procedure& procedure,
                      const Call& call) {
    const Caller caller = parley::caller(exchange);
    std::make_shared<SseStream>(wiring, caller, procedure)->serve(std::move(exchange), call);
}

void SseStream::serve(net::Exchange exchange, const Call& call) {
    auto id = last_event_id(exchange);
    stream_ = exchange.start_stream(stream_options());
    if (!stream_.is_open()) return;
    // The connection keeps this until the stream is over.
    stream_.on_end([self = shared_from_this()](net::StreamEnd) { self->stop(); });
    stream_.on_closing([weak = std::weak_ptr(shared_from_this()), this] {
        // Broken off, not ended: the client comes back to the next process.
        if (weak.lock()) stream_.abort();
    });
    start(call, std::move(id));
}

void SseStream::begin() {
    has_begun_ = true;
    std::string text;
    const auto inactivity = std::chrono::milliseconds(limits::kTrpcInactivity).count();
    append_connected(text, is_repeatable()
                               ? fmt::format("{{\"reconnectAfterInactivityMs\":{}}}", inactivity)
                               : std::string("{}"));
    (void)stream_.send(text);
}

void SseStream::tell(const Told& event) {
    std::string text;
    if (event.is_tracked) {
        wire::append_sse(text, {.data = event.data, .id = event.id});
    } else if (event.id.empty()) {
        wire::append_sse(text, {.data = event.data});
    } else {
        // Without an id of its own it would inherit the last one and pass for tracked.
        wire::append_sse(text, {.data = event.data, .id = ""});
        append_mark(text, event.id);
    }
    (void)stream_.send(text);
}

void SseStream::mark(const std::string& id) {
    if (id.empty()) return;
    std::string text;
    append_mark(text, id);
    (void)stream_.send(text);
}

void SseStream::complete() {
    (void)stream_.send(wire::SseEvent{.data = "", .event = "return"});
    stream_.end();
}

void SseStream::fail(const Failure& failure) {
    std::string text;
    if (!has_begun_) append_connected(text, "{}");
    append_error(text, failure, path());
    (void)stream_.send(text);
    stream_.end();
}

}  // namespace parley::trpc
