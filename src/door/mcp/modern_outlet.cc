// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/modern_outlet.h"

#include <utility>

#include "wire/json_rpc.h"

namespace parley::mcp {

int http_status(int code) {
    switch (code) {
        case 0: return 200;
        case wire::rpc::kMethodNotFound: return 404;
        case wire::rpc::kInternalError: return 500;
        case kTooManyCalls: return 429;
        default: return 400;
    }
}

void ModernOutlet::watch(const std::shared_ptr<Call>& call) {
    if (call->is_over()) return;
    call_ = call;
    if (exchange_) {
        exchange_->on_peer_gone([weak = call_] {
            if (const auto waiting = weak.lock()) waiting->cancel();
        });
    }
}

void ModernOutlet::hold() {
    if (!exchange_) return;
    stream_ = exchange_->start_stream(net::sse_options());
    exchange_.reset();
    stream_.on_end([weak = weak_from_this()](net::StreamEnd end) {
        const auto self = weak.lock();
        const auto call = self ? self->call_.lock() : nullptr;
        const bool is_cut = end == net::StreamEnd::server_stopped;
        if (call) call->cancel(is_cut ? Call::Leaving::cut_off : Call::Leaving::cancelled);
    });
    stream_.on_closing([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->stream_.abort();
    });
}

void ModernOutlet::send(std::string message) {
    hold();
    stream_.send(wire::SseEvent{.data = message, .event = "message"});
}

void ModernOutlet::finish(std::string message, int code) {
    if (exchange_) {
        exchange_->respond(
            {.status = http_status(code), .content_type = net::kJson, .body = std::move(message)});
        exchange_.reset();
        return;
    }
    stream_.send(wire::SseEvent{.data = message, .event = "message"});
    stream_.end();
}

}  // namespace parley::mcp
