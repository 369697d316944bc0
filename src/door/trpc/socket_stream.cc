// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/socket_stream.h"

#include "door/trpc/socket.h"
#include "text/json.h"

namespace parley::trpc {

bool SocketStream::is_open() const {
    const auto socket = socket_.lock();
    return socket && socket->is_open();
}

std::size_t SocketStream::queued_bytes() const {
    const auto socket = socket_.lock();
    return socket ? socket->queued_bytes() : 0;
}

void SocketStream::on_queue_below(std::size_t bytes, Task task) {
    if (const auto socket = socket_.lock()) socket->on_queue_below(bytes, std::move(task));
}

void SocketStream::begin() {
    has_begun_ = true;
    if (const auto socket = socket_.lock()) socket->send(state_frame(id_, "started"));
}

void SocketStream::tell(const Told& event) {
    const auto socket = socket_.lock();
    if (!socket) return;
    std::string text;
    json::Writer out(text);
    out.begin_object().key("id").raw(id_).key("result").begin_object().field("type", "data");
    if (event.is_tracked) {
        out.field("id", event.id);
        out.key("data").begin_object().field("id", event.id);
        out.key("data").raw(event.data).end_object();
    } else {
        // The client keeps the id for its next connection, and shows the data alone.
        if (event.moves_on) out.field("id", event.id);
        out.key("data").raw(event.data);
    }
    out.end_object().end_object();
    socket->send(std::move(text));
}

void SocketStream::complete() {
    const auto socket = socket_.lock();
    if (!socket) return;
    socket->send(state_frame(id_, "stopped"));
    socket->forget(id_);
}

void SocketStream::fail(const Failure& failure) {
    const auto socket = socket_.lock();
    if (!socket) return;
    socket->send(call_frame(id_, tl::unexpected(failure), path()));
    if (has_begun_) socket->send(state_frame(id_, "stopped"));
    socket->forget(id_);
}

}  // namespace parley::trpc
