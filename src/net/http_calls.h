// SPDX-License-Identifier: Apache-2.0
// The HTTP client for those who think in callbacks: one request, or one stream of events, and a
// handle that ends it. Belongs to the loop's thread; no callback runs inside the call that was
// given it.
#pragma once

#include <memory>
#include <string>

#include "net/http_client.h"

namespace parley::net {

// Told about one stream of events. Nothing comes after on_refused or on_end.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void on_open() = 0;
    virtual void on_event(wire::ReceivedSse event) = 0;
    // The server answered something else than events.
    virtual void on_refused(const ClientResponse& response) = 0;
    // Never there, lost, or ended by the server.
    virtual void on_end(Error why) = 0;
};

class HttpCalls {
public:
    class Call;  // one that is under way

    // Dropping it ends the call: nothing is told any more.
    class Handle {
    public:
        Handle() = default;
        explicit Handle(std::shared_ptr<Call> call) : call_(std::move(call)) {}
        ~Handle() { reset(); }
        Handle(Handle&& other) noexcept = default;
        Handle& operator=(Handle&& other) noexcept;

        void reset();

    private:
        std::shared_ptr<Call> call_;
    };

    using Answered = UniqueFunction<void(Result<ClientResponse>)>;

    [[nodiscard]] static Result<std::unique_ptr<HttpCalls>> create(Loop& loop, wire::Url server,
                                                                   HttpClientOptions options = {});
    ~HttpCalls();

    [[nodiscard]] Handle send(ClientRequest request, Answered done);
    // The sink must outlive the handle.
    [[nodiscard]] Handle open_events(ClientRequest request, std::string last_event_id,
                                     EventSink& sink);

private:
    HttpCalls(Loop& loop, std::unique_ptr<HttpClient> client);

    Loop& loop_;
    // Shared with the coroutines, which end a little after their handles.
    std::shared_ptr<HttpClient> client_;
};

}  // namespace parley::net
