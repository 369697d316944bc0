// SPDX-License-Identifier: Apache-2.0
#include "bridge/mcp/call.h"

#include "dialect/mcp/known_clients.h"

namespace parley::mcp {

namespace {

const json::Value* progress_token(const json::Value& params) {
    const json::Value* meta = member(params, "_meta");
    const json::Value* token = meta == nullptr ? nullptr : member(*meta, "progressToken");
    return token != nullptr && (token->is_string() || token->is_number()) ? token : nullptr;
}

}  // namespace

void write_server_info(json::Writer& out, const ServerInfo& info) {
    out.begin_object().field("name", "parley").field("title", "Parley");
    out.field("version", info.version).end_object();
}

void Call::hold() {
    request_.params = kept_params(request_.params);
    if (outlet_) outlet_->hold();
}

bool Call::wants_progress() const {
    return progress_token(request_.params) != nullptr;
}

void Call::progress(std::string_view message) {
    const json::Value* token = progress_token(request_.params);
    if (!outlet_ || token == nullptr) return;
    std::string params;
    json::Writer out(params);
    out.begin_object().key("progressToken").value(*token);
    out.field_int("progress", ++progress_).field("message", message).end_object();
    outlet_->send_passing(wire::rpc::write_notification("notifications/progress", params));
}

void Call::send(std::string message) {
    if (outlet_) outlet_->send(std::move(message));
}

void Call::begin_result(json::Writer& out, std::string_view type) const {
    out.begin_object();
    if (!is_modern()) return;
    out.field("resultType", type);
    out.key("_meta").begin_object();
    write_server_info(out.key(kMetaServerInfo), info_);
    out.end_object();
}

void Call::fail(int code, std::string_view message, std::string_view data) {
    finish(wire::rpc::write_failure(id(), code, message, data), code);
}

void Call::finish(std::string message, int code) {
    if (is_over()) return;
    std::exchange(outlet_, nullptr)->finish(std::move(message), code);
    cancelled_ = nullptr;
    if (over_) std::exchange(over_, nullptr)();
}

void Call::cancel(Leaving how) {
    if (is_over()) return;
    outlet_ = nullptr;
    if (cancelled_) std::exchange(cancelled_, nullptr)(how);
    if (over_) std::exchange(over_, nullptr)();
}

}  // namespace parley::mcp
