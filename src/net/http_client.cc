// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "net/client_connection.h"
#include "net/limits.h"
#include "net/websocket_peer.h"
#include "wire/header_text.h"

namespace parley::net {

namespace {

bool is_repeatable(wire::Method method) {
    return method == wire::Method::get || method == wire::Method::head ||
           method == wire::Method::put || method == wire::Method::del ||
           method == wire::Method::options;
}

// A server's sockets are looked after by its sweep; a client's by a timer of their own.
void tick_later(Loop& loop, const std::weak_ptr<WebSocketPeer>& weak) {
    loop.post_at(loop.now() + limits::kSocketTick, [&loop, weak] {
        const auto session = weak.lock();
        if (!session) return;
        session->tick(loop.now());
        tick_later(loop, weak);
    });
}

}  // namespace

// Outlives the client for as long as answers are being read.
struct HttpClient::Pool {
    std::vector<std::shared_ptr<ClientConnection>> idle;
    std::vector<std::weak_ptr<ClientConnection>> busy;
    std::vector<std::weak_ptr<WebSocketPeer>> sockets;
    std::uint64_t closes = 0;  // so that a connect under way notices close()

    void add_busy(const std::shared_ptr<ClientConnection>& connection) {
        std::erase_if(busy, [](const auto& entry) { return entry.expired(); });
        busy.push_back(connection);
    }

    std::shared_ptr<ClientConnection> take_idle() {
        while (!idle.empty()) {
            auto connection = std::move(idle.back());
            idle.pop_back();
            if (connection->is_alive()) return connection;
        }
        return nullptr;
    }

    void put_back(std::shared_ptr<ClientConnection> connection) {
        connection->set_deadline(std::nullopt);
        if (!connection->is_reusable() || idle.size() >= limits::kIdleConnectionsKept) return;
        idle.push_back(std::move(connection));
    }
};

Result<std::unique_ptr<HttpClient>> HttpClient::create(Loop& loop, wire::Url server,
                                                       HttpClientOptions options) {
    std::unique_ptr<HttpClient> client(new HttpClient(loop, std::move(server), options));
    if (client->server_.scheme == wire::Url::Scheme::tls) {
        TRY(tls, TlsClient::create(options.trust));
        client->tls_ = std::move(tls);
    }
    return client;
}

HttpClient::HttpClient(Loop& loop, wire::Url server, HttpClientOptions options)
    : loop_(loop),
      server_(std::move(server)),
      options_(std::move(options)),
      pool_(std::make_shared<Pool>()) {}

HttpClient::~HttpClient() {
    close();
}

void HttpClient::close() {
    ++pool_->closes;
    pool_->idle.clear();
    for (const auto& weak : std::exchange(pool_->busy, {})) {
        if (const auto connection = weak.lock()) connection->close(ErrorCode::interrupted);
    }
    for (const auto& weak : std::exchange(pool_->sockets, {})) {
        if (const auto session = weak.lock()) session->stop();
    }
}

std::string HttpClient::full_target(std::string_view target) const {
    std::string_view base = server_.target;
    base = base.substr(0, base.find('?'));
    if (base.ends_with('/')) base.remove_suffix(1);
    return std::string(base).append(target);
}

std::string HttpClient::encode(const ClientRequest& request) const {
    std::string out;
    out.reserve(256 + request.body.size());
    wire::append_request_line(out, wire::to_string(request.method), full_target(request.target));
    wire::append_field(out, "Host", server_.host_field());
    out.append(request.headers.text());
    if (!request.content_type.empty()) {
        wire::append_field(out, "Content-Type", request.content_type);
    }
    const bool sends_body = !request.body.empty() || request.method == wire::Method::post ||
                            request.method == wire::Method::put ||
                            request.method == wire::Method::patch;
    if (sends_body) wire::append_field(out, "Content-Length", request.body.size());
    wire::end_head(out);
    out.append(request.body);
    return out;
}

Co<Result<std::shared_ptr<ClientConnection>>> HttpClient::connect() {
    const auto pool = pool_;
    const std::uint64_t closes = pool->closes;
    auto connection =
        co_await ClientConnection::connect(&loop_, server_, tls_, options_.connect_timeout);
    if (!connection) co_return connection;
    if (closes != pool->closes) {
        co_return reject(ErrorCode::interrupted, "the request was given up");
    }
    pool->add_busy(*connection);
    co_return connection;
}

// Sends the request and reads the answer's head. A kept connection that turns out to be dead is
// replaced once, for requests that may be made twice.
Co<Result<std::shared_ptr<ClientConnection>>> HttpClient::exchange(const ClientRequest* request) {
    const std::string bytes = encode(*request);
    for (bool reuse = true;; reuse = false) {
        auto connection = reuse ? pool_->take_idle() : nullptr;
        const bool reused = connection != nullptr;
        if (reused) {
            pool_->add_busy(connection);
        } else {
            auto fresh = co_await connect();
            if (!fresh) co_return fresh;
            connection = std::move(*fresh);
        }
        connection->set_deadline(request->timeout);
        connection->set_silence_limit(std::nullopt);
        const auto written = co_await connection->write(bytes);
        // A server that refuses a body answers before it has read it all.
        auto answered = co_await connection->read_head(request->method);
        if (answered) co_return connection;
        const bool stale = reused && !connection->answered() && is_repeatable(request->method) &&
                           answered.error().code == ErrorCode::unavailable;
        if (!stale) {
            if (!written) co_return reject(written.error());
            co_return reject(answered.error());
        }
    }
}

Co<Result<ClientResponse>> HttpClient::send(ClientRequest request) {
    const auto pool = pool_;
    const std::size_t bytes_max = options_.response_bytes_max;
    auto connection = co_await exchange(&request);
    if (!connection) co_return reject(connection.error());
    ClientResponse response{.head = (*connection)->head(), .body = {}};
    const auto bytes = response.head.content_length.value_or(0);
    if (bytes > bytes_max) {
        // Nobody waits for what would not be taken.
        (*connection)->close(ErrorCode::too_large);
        co_return reject(ErrorCode::too_large,
                         "the answer says it has {} bytes; at most {} are read", bytes, bytes_max);
    }
    while (true) {
        auto piece = co_await (*connection)->read_body();
        if (!piece) co_return reject(piece.error());
        if (!*piece) break;
        response.body += **piece;
        if (response.body.size() > bytes_max) {
            (*connection)->close(ErrorCode::too_large);
            co_return reject(ErrorCode::too_large, "the answer has more than {} bytes", bytes_max);
        }
    }
    pool->put_back(std::move(*connection));
    co_return response;
}

Co<Result<ResponseStream>> HttpClient::open(ClientRequest request) {
    const auto silence = request.silence_timeout;
    auto connection = co_await exchange(&request);
    if (!connection) co_return reject(connection.error());
    (*connection)->set_deadline(std::nullopt);
    (*connection)->set_silence_limit(silence);
    co_return ResponseStream(std::move(*connection));
}

Co<Result<OpenedEvents>> HttpClient::open_events(ClientRequest request, std::string last_event_id) {
    request.headers.add("Accept", "text/event-stream");
    request.headers.add("Cache-Control", "no-store");
    if (!last_event_id.empty()) request.headers.add("Last-Event-ID", last_event_id);
    auto stream = co_await open(std::move(request));
    if (!stream) co_return reject(stream.error());
    if (stream->head().status != 200) {
        auto body = co_await stream->read_all(options_.response_bytes_max);
        co_return ClientResponse{.head = stream->head(), .body = std::move(body).value_or("")};
    }
    const auto type = stream->head().fields.get("content-type");
    if (!wire::is_media_type(type, "text/event-stream")) {
        co_return reject(ErrorCode::unsupported, "the server's answer is no event stream");
    }
    co_return SseReader(std::move(*stream));
}

Co<Result<WebSocket>> HttpClient::open_websocket(std::string target, WebSocketOptions options) {
    const auto pool = pool_;
    auto connection = co_await connect();
    if (!connection) co_return reject(connection.error());
    auto session = std::make_shared<WebSocketPeer>(loop_, WebSocketPeer::Side::client,
                                                   (*connection)->take_transport(), std::string(),
                                                   std::move(options), Task());
    std::erase_if(pool->sockets, [](const auto& entry) { return entry.expired(); });
    pool->sockets.push_back(session);
    tick_later(loop_, session);
    const auto done = co_await session->handshake(server_.host_field(), full_target(target));
    if (!done) co_return reject(done.error());
    co_return WebSocket(std::move(session));
}

ResponseStream::ResponseStream(std::shared_ptr<ClientConnection> connection)
    : connection_(std::move(connection)) {}

ResponseStream::~ResponseStream() {
    if (connection_) connection_->close(ErrorCode::interrupted);
}

const wire::ResponseHead& ResponseStream::head() const {
    return connection_->head();
}

Co<Result<std::optional<std::string>>> ResponseStream::read() {
    return connection_->read_body();
}

Co<Result<std::string>> ResponseStream::read_all(std::size_t bytes_max) {
    std::string all;
    while (true) {
        auto piece = co_await connection_->read_body();
        if (!piece) co_return reject(piece.error());
        if (!*piece) co_return all;
        all += **piece;
        if (all.size() > bytes_max) {
            co_return reject(ErrorCode::too_large, "the answer has more than {} bytes", bytes_max);
        }
    }
}

void ResponseStream::close() {
    connection_->close(ErrorCode::interrupted);
}

SseReader::SseReader(ResponseStream stream) : stream_(std::move(stream)) {}

Co<Result<std::optional<wire::ReceivedSse>>> SseReader::next() {
    while (taken_ == ready_.size()) {
        ready_.clear();
        taken_ = 0;
        auto bytes = co_await stream_.read();
        if (!bytes) co_return reject(bytes.error());
        if (!*bytes) co_return std::optional<wire::ReceivedSse>();
        UniqueFunction<void(wire::ReceivedSse)> keep = [this](wire::ReceivedSse event) {
            ready_.push_back(std::move(event));
        };
        const auto fed = parser_.feed(**bytes, keep);
        if (!fed) co_return reject(fed.error());
    }
    co_return std::optional(std::move(ready_[taken_++]));
}

}  // namespace parley::net
