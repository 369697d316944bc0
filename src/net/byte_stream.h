// SPDX-License-Identifier: Apache-2.0
// Transport as Beast wants it: an asynchronous stream. First come the bytes that were read together
// with the handshake. Only for the WebSocket session, which owns one.
#pragma once

#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/role.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "net/loop.h"
#include "net/transport.h"

namespace parley::net {

namespace beast = boost::beast;
using boost::system::error_code;

class ByteStream {
public:
    using executor_type = asio::io_context::executor_type;

    ByteStream(Loop& loop, Transport transport, std::string unread)
        : executor_(loop.executor()),
          transport_(std::move(transport)),
          unread_(std::move(unread)) {}

    executor_type get_executor() const { return executor_; }
    Transport& transport() { return transport_; }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return asio::async_compose<Token, void(error_code, std::size_t)>(
            ReadOp{*this, first_room(buffers)}, token, executor_);
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        WriteOp op{*this};
        for (const asio::const_buffer part : beast::buffers_range_ref(buffers)) {
            if (part.size() == 0 || op.count == op.parts.size()) continue;
            // Only read through, as sendmsg does.
            op.parts[op.count++] = {const_cast<void*>(part.data()), part.size()};
        }
        return asio::async_compose<Token, void(error_code, std::size_t)>(std::move(op), token,
                                                                         executor_);
    }

private:
    template <class Buffers>
    static std::span<char> first_room(const Buffers& buffers) {
        for (const asio::mutable_buffer part : beast::buffers_range_ref(buffers)) {
            if (part.size() > 0) return {static_cast<char*>(part.data()), part.size()};
        }
        return {};
    }

    // Both try at once, wait where they must, and never complete inside the call that started them.
    template <class Op>
    struct Attempt {
        template <class Self>
        void run(Op& op, Self& self, error_code error) {
            if (finished) return self.complete(outcome, bytes);
            if (error) return self.complete(error, 0);
            const bool first = !std::exchange(started, true);
            const Io io = op.attempt();
            bytes = io.bytes;
            Transport& transport = op.stream.transport_;
            if (io.kind == Io::Kind::want_read) return transport.wait_readable(std::move(self));
            if (io.kind == Io::Kind::want_write) return transport.wait_writable(std::move(self));
            if (io.kind == Io::Kind::end) outcome = asio::error::eof;
            if (io.kind == Io::Kind::failed) outcome = asio::error::connection_reset;
            if (!first) return self.complete(outcome, bytes);
            finished = true;
            asio::post(op.stream.executor_, std::move(self));
        }
        bool started = false;
        bool finished = false;
        error_code outcome = {};
        std::size_t bytes = 0;
    };

    struct ReadOp {
        ByteStream& stream;
        std::span<char> room;
        Attempt<ReadOp> state = {};

        Io attempt() {
            if (!stream.transport_.is_open()) return {Io::Kind::failed};
            if (room.empty()) return {Io::Kind::done, 0};
            if (stream.unread_.empty()) return stream.transport_.read(room);
            const std::size_t count = std::min(room.size(), stream.unread_.size());
            std::memcpy(room.data(), stream.unread_.data(), count);
            stream.unread_.erase(0, count);
            return {Io::Kind::done, count};
        }
        template <class Self>
        void operator()(Self& self, error_code error = {}) {
            state.run(*this, self, error);
        }
    };

    struct WriteOp {
        ByteStream& stream;
        std::array<iovec, 8> parts = {};
        std::size_t count = 0;
        Attempt<WriteOp> state = {};

        Io attempt() {
            if (!stream.transport_.is_open()) return {Io::Kind::failed};
            if (count == 0) return {Io::Kind::done, 0};
            return stream.transport_.write({parts.data(), count});
        }
        template <class Self>
        void operator()(Self& self, error_code error = {}) {
            state.run(*this, self, error);
        }
    };

    executor_type executor_;
    Transport transport_;
    std::string unread_;
};

// What Beast does with the stream once the closing handshake is over.
inline void teardown(beast::role_type, ByteStream& stream, error_code& error) {
    stream.transport().finish_writing();
    error = {};
}

template <class Handler>
void async_teardown(beast::role_type, ByteStream& stream, Handler&& handler) {
    stream.transport().finish_writing();
    asio::post(stream.get_executor(),
               [handler = std::forward<Handler>(handler)]() mutable { handler(error_code{}); });
}

// For a time-out of Beast's own, which we never set.
inline void beast_close_socket(ByteStream& stream) {
    stream.transport().close();
}

}  // namespace parley::net
