// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/modern_http.h"

#include <fmt/format.h>

#include <utility>

#include "wire/header_text.h"

namespace parley::mcp {

namespace {

constexpr std::string_view kEncodedStart = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";

// A header's value as it was meant; nothing if its encoding is broken.
std::optional<std::string> decoded(std::string_view value) {
    if (!value.starts_with(kEncodedStart) || !value.ends_with(kEncodedEnd))
        return std::string(value);
    value.remove_prefix(kEncodedStart.size());
    value.remove_suffix(kEncodedEnd.size());
    return wire::base64_decode(value);
}

// What Mcp-Name must repeat; nothing where the method has no name.
std::optional<std::string_view> named(const wire::rpc::Request& request) {
    const std::string_view method = request.method;
    if (method == "tools/call" || method == "prompts/get") return "name";
    if (method == "resources/read") return "uri";
    if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel")
        return "taskId";
    return std::nullopt;
}

}  // namespace

std::optional<HeaderFault> check_headers(const net::Exchange& exchange,
                                         const wire::rpc::Request& request) {
    if (!is_modern(request.params))
        return HeaderFault{wire::rpc::kInvalidParams, "the request has no _meta of this version"};
    const auto differs = [](std::string_view header) {
        return HeaderFault{.message = fmt::format("{} is missing, or not as in the body", header)};
    };
    if (exchange.header("MCP-Protocol-Version") != modern_version(request.params))
        return differs("MCP-Protocol-Version");
    if (exchange.header("Mcp-Method") != request.method) return differs("Mcp-Method");
    if (const auto member_name = named(request)) {
        const auto name = text_member(request.params, *member_name);
        const auto header = exchange.request().fields.find("Mcp-Name");
        if (name && (!header || decoded(*header) != *name)) return differs("Mcp-Name");
    }
    return std::nullopt;
}

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
        if (call && end != net::StreamEnd::server_stopped) call->cancel();
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
