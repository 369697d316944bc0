// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/http_request.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "door/limits.h"
#include "net/limits.h"

namespace parley::trpc {

namespace {

net::StreamOptions json_stream() {
    net::StreamOptions options;
    options.content_type = net::kJson;
    options.headers.add("Vary", "trpc-accept, accept").add("X-Accel-Buffering", "no");
    options.queue_bytes_max = limits::kEventQueueHigh + limits::kEventBytes;
    static const net::SharedChunk space(" ");
    options.heartbeat = space;
    return options;
}

void respond(net::Exchange& exchange, int status, std::string document) {
    exchange.add_header("Vary", "trpc-accept, accept");
    exchange.respond(
        {.status = status, .content_type = net::kJson, .body = net::Body(std::move(document))});
}

}  // namespace

void reply_failure(net::Exchange& exchange, const Failure& failure) {
    respond(exchange, http_status(failure.key), call_document(tl::unexpected(failure), {}));
}

void HttpRequest::serve(Wiring wiring, net::Exchange exchange, Form form, std::vector<Call> calls) {
    std::make_shared<HttpRequest>(std::move(wiring), std::move(exchange), form, std::move(calls))
        ->start();
}

HttpRequest::HttpRequest(Wiring wiring, net::Exchange exchange, Form form, std::vector<Call> calls)
    : wiring_(std::move(wiring)),
      exchange_(std::move(exchange)),
      form_(form),
      calls_(std::move(calls)),
      results_(calls_.size()),
      handles_(calls_.size()),
      missing_(calls_.size()) {}

void HttpRequest::start() {
    const auto self = shared_from_this();
    if (form_ == Form::lines) begin_lines();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        run(i);
        // It has been read, and the answer may take as long as a person does.
        calls_[i].input = nullptr;
    }
    if (missing_ == 0) return;
    wiring_.open.insert(self);
    ASSERT(exchange_.has_value());
    const std::weak_ptr<HttpRequest> weak = weak_from_this();
    exchange_->on_server_closing([weak] {
        if (const auto held = weak.lock()) held->server_closing();
    });
    if (form_ == Form::lines) return exchange_.reset();
    // The asks that were opened stay; only nobody waits for them here.
    exchange_->on_peer_gone([weak] {
        if (const auto held = weak.lock()) held->release();
    });
    alarm_ = wiring_.alarms->set(limits::kHeartbeatInterval, [weak] {
        if (const auto held = weak.lock()) held->begin_spaces();
    });
}

void HttpRequest::run(std::size_t index) {
    const Call& call = calls_[index];
    const Procedure* procedure = find_procedure(call.path);
    if (auto fault = find_fault(call, procedure))
        return finish(index, tl::unexpected(std::move(*fault)));
    if (answered_bytes_ > limits::kTrpcBatchBytes)
        return finish(index, tl::unexpected(batch_is_full()));
    ASSERT(exchange_.has_value());
    handles_[index] = wiring_.procedures.run(*procedure, caller(*exchange_), call.input,
                                             [weak = weak_from_this(), index](CallResult result) {
                                                 if (const auto held = weak.lock())
                                                     held->finish(index, std::move(result));
                                             });
}

std::optional<Failure> HttpRequest::find_fault(const Call& call, const Procedure* procedure) const {
    if (procedure == nullptr) {
        return Failure{.key = FailureKey::not_found,
                       .message = fmt::format("No procedure found on path \"{}\"", call.path)};
    }
    const bool is_post = exchange_ && exchange_->request().method == wire::Method::post;
    if (is_post != (procedure->kind == ProcedureKind::mutation)) {
        return Failure{.key = FailureKey::method_not_supported,
                       .message = fmt::format("Unsupported {}-request to {} procedure at path "
                                              "\"{}\"",
                                              is_post ? "POST" : "GET", to_string(procedure->kind),
                                              call.path)};
    }
    return call.fault;
}

void HttpRequest::finish(std::size_t index, CallResult result) {
    if (results_[index] || missing_ == 0) return;
    if (result) answered_bytes_ += result->size();
    results_[index] = std::move(result);
    --missing_;
    if (form_ == Form::lines) {
        send_line(index);
        if (missing_ == 0) {
            stream_.end();
            release();
        }
    } else if (missing_ == 0) {
        send_all();
    }
}

// All answers at once: as a response, or after the spaces that were sent meanwhile.
void HttpRequest::send_all() {
    if (exchange_) {
        if (status() == http_status(FailureKey::method_not_supported))
            exchange_->add_header(
                "Allow", exchange_->request().method == wire::Method::post ? "GET" : "POST");
        respond(*exchange_, status(), document());
    } else {
        (void)stream_.send(document());
        stream_.end();
    }
    release();
}

void HttpRequest::begin_lines() {
    stream_ = exchange_->start_stream(json_stream());
    std::string head = "{";
    for (std::size_t i = 0; i < calls_.size(); ++i)
        head += fmt::format("{}\"{}\":[[0],[null,0,{}]]", i == 0 ? "" : ",", i, i);
    (void)stream_.send(head + "}\n");
    stream_.on_end([weak = weak_from_this()](net::StreamEnd) {
        if (const auto held = weak.lock()) held->release();
    });
}

void HttpRequest::begin_spaces() {
    alarm_.reset();
    if (!exchange_) return;
    stream_ = exchange_->start_stream(json_stream());
    (void)stream_.send(" ");
    stream_.on_end([weak = weak_from_this()](net::StreamEnd) {
        if (const auto held = weak.lock()) held->release();
    });
    exchange_.reset();
}

void HttpRequest::send_line(std::size_t index) {
    (void)stream_.send(
        fmt::format("[{},0,[[{}]]]\n", index, call_document(*results_[index], calls_[index].path)));
}

std::string HttpRequest::document() const {
    std::string text;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (i > 0) text += ',';
        text += call_document(*results_[i], calls_[i].path);
    }
    return form_ == Form::batch ? "[" + text + "]" : text;
}

int HttpRequest::status() const {
    const auto status_of = [](const CallResult& result) {
        return result ? 200 : http_status(result.error().key);
    };
    const int first = status_of(*results_.front());
    for (const auto& result : results_)
        if (status_of(*result) != first) return 207;
    return first;
}

void HttpRequest::server_closing() {
    const auto self = shared_from_this();
    for (std::size_t i = 0; i < results_.size(); ++i) {
        if (results_[i]) continue;
        finish(i, tl::unexpected(Failure{
                      .key = FailureKey::service_unavailable,
                      .message = "the server stops; ask again with the same toolCallId or key"}));
    }
}

// Nobody waits any more, or everybody has been told.
void HttpRequest::release() {
    const auto self = shared_from_this();
    wiring_.open.erase(self);
    missing_ = 0;
    if (alarm_) wiring_.alarms->drop(*alarm_);
    alarm_.reset();
    if (exchange_ && !exchange_->is_answered()) {
        reply_failure(*exchange_,
                      {.key = FailureKey::client_closed_request, .message = "the client has gone"});
    }
    exchange_.reset();
    std::vector<CallHandle>().swap(handles_);
    handles_.resize(calls_.size());
}

}  // namespace parley::trpc
