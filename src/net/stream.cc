// SPDX-License-Identifier: Apache-2.0
#include "net/stream.h"

#include <array>
#include <charconv>
#include <utility>

#include "net/connection.h"

namespace parley::net {

namespace {

// What an event has beside its data: its id, its type, the names of the fields.
constexpr std::size_t kSseLinesUsual = 128;
// Before a payload, for the line with its size.
constexpr std::size_t kSizeLineRoom = 2 * sizeof(std::size_t) + 2;

std::string room_for(std::size_t payload_bytes) {
    std::string text;
    text.reserve(kSizeLineRoom + payload_bytes + 2);
    text.resize(kSizeLineRoom);
    return text;
}

// Puts the framing around a payload that has room before it; where the payload starts then.
std::uint32_t frame(std::string& text) {
    std::array<char, kSizeLineRoom> line;
    char* end =
        std::to_chars(line.data(), line.data() + line.size() - 2, text.size() - kSizeLineRoom, 16)
            .ptr;
    *end++ = '\r';
    *end++ = '\n';
    const auto size = static_cast<std::size_t>(end - line.data());
    text.replace(0, kSizeLineRoom, line.data(), size).append("\r\n");
    return static_cast<std::uint32_t>(size);
}

}  // namespace

SharedChunk::SharedChunk(std::string_view payload) {
    if (payload.empty()) return;
    std::string text = room_for(payload.size());
    start_ = frame(text.append(payload));
    text_ = std::make_shared<const std::string>(std::move(text));
}

// The payload is written where it stays, before its size is known.
SharedChunk SharedChunk::sse(const wire::SseEvent& event) {
    std::string text = room_for(event.data.size() + kSseLinesUsual);
    wire::append_sse(text, event);
    SharedChunk chunk;
    chunk.start_ = frame(text);
    chunk.text_ = std::make_shared<const std::string>(std::move(text));
    return chunk;
}

SharedChunk SharedChunk::sse_comment(std::string_view comment) {
    std::string text;
    wire::append_sse_comment(text, comment);
    return SharedChunk(text);
}

std::string_view SharedChunk::payload() const {
    if (!text_) return {};
    return std::string_view(*text_).substr(start_, text_->size() - start_ - 2);
}

StreamOptions sse_options() {
    StreamOptions options;
    options.headers.add("Cache-Control", "no-cache, no-transform");
    options.headers.add("X-Accel-Buffering", "no");
    static const SharedChunk heartbeat = SharedChunk::sse_comment("");
    options.heartbeat = heartbeat;
    return options;
}

Stream::Stream(Stream&& other) noexcept = default;

Stream& Stream::operator=(Stream&& other) noexcept {
    if (this != &other) {
        abort();
        connection_ = std::move(other.connection_);
    }
    return *this;
}

Stream::~Stream() {
    abort();
}

bool Stream::is_open() const {
    return connection_ && connection_->stream_open();
}

bool Stream::send(const SharedChunk& chunk) {
    if (!connection_) return false;
    if (chunk.empty()) return is_open();
    return connection_->stream_send(chunk);
}

bool Stream::send(std::string_view bytes) {
    return connection_ && connection_->stream_send(bytes);
}

bool Stream::send(const wire::SseEvent& event) {
    std::string text;
    wire::append_sse(text, event);
    return send(text);
}

void Stream::end() {
    if (const auto connection = std::exchange(connection_, nullptr)) connection->stream_end();
}

void Stream::abort() {
    if (const auto connection = std::exchange(connection_, nullptr)) connection->stream_abort();
}

std::size_t Stream::queued_bytes() const {
    return connection_ ? connection_->queued_bytes() : 0;
}

void Stream::on_queue_below(std::size_t bytes, Task task) {
    ASSERT(connection_ != nullptr);
    connection_->on_queue_below(bytes, std::move(task));
}

Co<bool> Stream::drained() {
    if (!is_open()) co_return false;
    const auto connection = connection_;
    co_await await_callback<bool>([connection](UniqueFunction<void(bool)> done) {
        connection->on_queue_below(0, [done = std::move(done)]() mutable { done(true); });
    });
    co_return connection->stream_open();
}

void Stream::on_end(UniqueFunction<void(StreamEnd)> handler) {
    if (connection_) connection_->on_stream_end(std::move(handler));
}

void Stream::on_closing(Task task) {
    if (connection_) connection_->on_server_closing(std::move(task));
}

}  // namespace parley::net
