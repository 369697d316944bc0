// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 client for one server, over TCP, TLS or a Unix socket: whole answers, answers that go
// on (Server-Sent Events), WebSockets. Connections are kept and used again. Belongs to the loop's
// thread. Never follows redirects, never repeats a request that may have had an effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "net/co.h"
#include "net/limits.h"
#include "net/loop.h"
#include "net/tls.h"
#include "net/websocket.h"
#include "wire/http_message.h"
#include "wire/http_writer.h"
#include "wire/sse.h"
#include "wire/url.h"

namespace parley::net {

class ClientConnection;

struct HttpClientOptions {
    Millis connect_timeout = limits::kConnectTimeout;
    TlsTrust trust = {};
    std::size_t response_bytes_max = limits::kResponseBytes;
};

struct ClientRequest {
    wire::Method method = wire::Method::get;
    std::string target = "/";        // below the path of the server's Url
    wire::HeaderBlock headers = {};  // never Host or Content-Length
    std::string body = {};
    std::string_view content_type = {};  // a literal
    // For the whole answer, or for its head where the body goes on; none waits for ever.
    std::optional<Millis> timeout = {};
    // How long an answer that goes on may be silent; none = for ever.
    std::optional<Millis> silence_timeout = {};
};

struct ClientResponse {
    wire::ResponseHead head;
    std::string body;

    int status() const { return head.status; }
};

// An answer whose body is read piece by piece. Destroying it closes the connection.
class ResponseStream {
public:
    explicit ResponseStream(std::shared_ptr<ClientConnection> connection);
    ResponseStream(ResponseStream&&) noexcept = default;
    ResponseStream& operator=(ResponseStream&&) noexcept = delete;
    ~ResponseStream();

    const wire::ResponseHead& head() const;
    // The next bytes; nothing at the regular end of the body.
    [[nodiscard]] Co<Result<std::optional<std::string>>> read();
    // The rest, whole.
    [[nodiscard]] Co<Result<std::string>> read_all(std::size_t bytes_max);
    void close();

private:
    std::shared_ptr<ClientConnection> connection_;
};

// The events of a stream, one at a time.
class SseReader {
public:
    explicit SseReader(ResponseStream stream);

    // The next event; nothing when the server ended the stream.
    [[nodiscard]] Co<Result<std::optional<wire::ReceivedSse>>> next();
    const wire::ResponseHead& head() const { return stream_.head(); }
    void close() { stream_.close(); }

private:
    ResponseStream stream_;
    wire::SseParser parser_;
    std::vector<wire::ReceivedSse> ready_;
    std::size_t taken_ = 0;
};

// What is there to read where events were asked for; or why not, in the server's own words.
using OpenedEvents = std::variant<SseReader, ClientResponse>;

class HttpClient {
public:
    // Fails only if the trust cannot be loaded.
    [[nodiscard]] static Result<std::unique_ptr<HttpClient>> create(Loop& loop, wire::Url server,
                                                                    HttpClientOptions options = {});
    ~HttpClient();

    // `unavailable` if there is no connection or no answer, `interrupted` if close() came between.
    // Any status is an answer.
    [[nodiscard]] Co<Result<ClientResponse>> send(ClientRequest request);
    // The head has been read when this returns.
    [[nodiscard]] Co<Result<ResponseStream>> open(ClientRequest request);
    // open() with what an event stream needs.
    [[nodiscard]] Co<Result<OpenedEvents>> open_events(ClientRequest request,
                                                       std::string last_event_id = {});
    [[nodiscard]] Co<Result<WebSocket>> open_websocket(std::string target,
                                                       WebSocketOptions options = {});

    // Ends all that is under way; the client can be used again.
    void close();

    const wire::Url& server() const { return server_; }

private:
    struct Pool;

    HttpClient(Loop& loop, wire::Url server, HttpClientOptions options);
    Co<Result<std::shared_ptr<ClientConnection>>> connect();
    Co<Result<std::shared_ptr<ClientConnection>>> exchange(const ClientRequest* request);
    std::string encode(const ClientRequest& request) const;
    std::string full_target(std::string_view target) const;

    Loop& loop_;
    wire::Url server_;
    HttpClientOptions options_;
    std::shared_ptr<TlsClient> tls_;
    std::shared_ptr<Pool> pool_;
};

}  // namespace parley::net
