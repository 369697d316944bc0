// SPDX-License-Identifier: Apache-2.0
// A response that goes on: Server-Sent Events, JSON lines. Sending never waits; what the peer does
// not take is queued up to a bound, and over the bound the connection is cut and the owner told, so
// that one slow reader costs nobody else anything. Belongs to the loop's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "net/co.h"
#include "net/response.h"
#include "net/usual_bounds.h"
#include "parley/values.h"
#include "wire/sse.h"

namespace parley::net {

class Connection;

// Bytes that are encoded once, with their chunk framing, and shared by all streams they go to.
class SharedChunk {
public:
    SharedChunk() = default;
    explicit SharedChunk(std::string_view payload);
    static SharedChunk sse(const wire::SseEvent& event);
    static SharedChunk sse_comment(std::string_view text);

    bool empty() const { return text_ == nullptr; }
    std::string_view payload() const;
    const SharedText& framed() const { return text_; }

private:
    SharedText text_;
    std::uint32_t start_ = 0;
};

struct StreamOptions {
    int status = 200;
    std::string_view content_type = kEventStream;  // a literal
    wire::HeaderBlock headers = {};
    std::size_t queue_bytes_max = usual::stream_queue_bytes();
    // Sent after so long without anything else; an empty one sends none.
    SharedChunk heartbeat = {};
    Millis heartbeat_interval = usual::heartbeat_interval();
};

// The usual options for events: no caching, no proxy buffering, a comment as heartbeat.
StreamOptions sse_options();

enum class StreamEnd : std::uint8_t {
    peer_closed,     // the client went away
    too_slow,        // the queue was full, or the peer took nothing for too long
    server_stopped,  // the drain's deadline passed
};

class Stream {
public:
    Stream() = default;
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    // Aborts what was not ended.
    ~Stream();

    bool is_open() const;
    // False if the stream is over, also by this very call.
    bool send(const SharedChunk& chunk);
    bool send(std::string_view bytes);
    bool send(const wire::SseEvent& event);

    // Completes the body; the connection can serve the next request.
    void end();
    // Breaks the body off: the client sees a failure, and one that resumes will come back.
    void abort();

    std::size_t queued_bytes() const;
    // Calls once when no more than `bytes` are queued (at once, in a later turn, if that is so
    // already). For owners with more to send than the queue holds.
    void on_queue_below(std::size_t bytes, Task task);
    // Until the queue is empty; false if the stream is over.
    Co<bool> drained();

    // Once, in a later turn of the loop, if the stream ends by anything but end() or abort().
    void on_end(UniqueFunction<void(StreamEnd)> handler);
    // When the server begins to drain: say good-bye, then end() or abort(). A stream that does
    // neither is cut at the drain's deadline.
    void on_closing(Task task);

private:
    friend class Exchange;
    explicit Stream(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

    std::shared_ptr<Connection> connection_;
};

}  // namespace parley::net
