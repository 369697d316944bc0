// SPDX-License-Identifier: Apache-2.0
#include "net/http_calls.h"

#include <utility>

namespace parley::net {

class HttpCalls::Call {
public:
    explicit Call(Answered done) : done_(std::move(done)) {}
    explicit Call(EventSink& sink) : sink_(&sink) {}

    void cancel() {
        done_ = nullptr;
        sink_ = nullptr;
        if (reader_ != nullptr) reader_->close();
    }

    void answer(Result<ClientResponse> response) {
        if (done_) std::exchange(done_, nullptr)(std::move(response));
    }
    EventSink* sink() const { return sink_; }
    void end(Error why) {
        if (sink_ != nullptr) std::exchange(sink_, nullptr)->on_end(std::move(why));
    }
    void refuse(const ClientResponse& response) {
        if (sink_ != nullptr) std::exchange(sink_, nullptr)->on_refused(response);
    }
    void set_reader(SseReader* reader) { reader_ = reader; }

private:
    Answered done_;
    EventSink* sink_ = nullptr;
    SseReader* reader_ = nullptr;  // while events are read
};

namespace {

Co<void> run_request(std::shared_ptr<HttpClient> client, ClientRequest request,
                     std::shared_ptr<HttpCalls::Call> call) {
    // A fast server may have answered before the caller has its handle.
    co_await asio::post(kUseCo);
    auto response = co_await client->send(std::move(request));
    call->answer(std::move(response));
}

Co<void> run_events(std::shared_ptr<HttpClient> client, ClientRequest request,
                    std::string last_event_id, std::shared_ptr<HttpCalls::Call> call) {
    co_await asio::post(kUseCo);
    if (call->sink() == nullptr) co_return;
    auto opened = co_await client->open_events(std::move(request), std::move(last_event_id));
    if (call->sink() == nullptr) co_return;
    if (!opened) {
        call->end(std::move(opened).error());
        co_return;
    }
    if (auto* refusal = std::get_if<ClientResponse>(&*opened)) {
        call->refuse(*refusal);
        co_return;
    }
    auto* reader = std::get_if<SseReader>(&*opened);
    call->set_reader(reader);
    call->sink()->on_open();
    while (call->sink() != nullptr) {
        auto event = co_await reader->next();
        if (call->sink() == nullptr) break;
        if (!event) {
            call->end(std::move(event).error());
        } else if (!*event) {
            call->end({ErrorCode::unavailable, "the server ended the stream"});
        } else {
            call->sink()->on_event(std::move(**event));
        }
    }
    call->set_reader(nullptr);
}

}  // namespace

HttpCalls::Handle& HttpCalls::Handle::operator=(Handle&& other) noexcept {
    if (this != &other) {
        reset();
        call_ = std::move(other.call_);
    }
    return *this;
}

void HttpCalls::Handle::reset() {
    if (call_) std::exchange(call_, nullptr)->cancel();
}

Result<std::unique_ptr<HttpCalls>> HttpCalls::create(Loop& loop, wire::Url server,
                                                     HttpClientOptions options) {
    TRY(client, HttpClient::create(loop, std::move(server), std::move(options)));
    return std::unique_ptr<HttpCalls>(new HttpCalls(loop, std::move(client)));
}

HttpCalls::HttpCalls(Loop& loop, std::unique_ptr<HttpClient> client)
    : loop_(loop), client_(std::move(client)) {}

HttpCalls::~HttpCalls() {
    client_->close();
}

HttpCalls::Handle HttpCalls::send(ClientRequest request, Answered done) {
    auto call = std::make_shared<Call>(std::move(done));
    // Later: a server that has answered at once would be heard of inside this call.
    loop_.post([&loop = loop_, client = client_, request = std::move(request), call]() mutable {
        loop.spawn(run_request(std::move(client), std::move(request), std::move(call)));
    });
    return Handle(std::move(call));
}

HttpCalls::Handle HttpCalls::open_events(ClientRequest request, std::string last_event_id,
                                         EventSink& sink) {
    auto call = std::make_shared<Call>(sink);
    loop_.post([&loop = loop_, client = client_, request = std::move(request),
                from = std::move(last_event_id), call]() mutable {
        if (call->sink() == nullptr) return;
        loop.spawn(
            run_events(std::move(client), std::move(request), std::move(from), std::move(call)));
    });
    return Handle(std::move(call));
}

}  // namespace parley::net
