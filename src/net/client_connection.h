// SPDX-License-Identifier: Apache-2.0
// One connection of the HTTP client, and the one request that it is busy with. Part of the client.
#pragma once

#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/co.h"
#include "net/loop.h"
#include "net/tls.h"
#include "net/transport.h"
#include "wire/http_parser.h"
#include "wire/url.h"

namespace parley::net {

class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
public:
    ClientConnection(Loop& loop, Transport transport);

    // Resolves, connects, and makes the TLS handshake. `tls` may be null for other schemes.
    [[nodiscard]] static Co<Result<std::shared_ptr<ClientConnection>>> connect(
        Loop* loop, wire::Url server, std::shared_ptr<TlsClient> tls, Millis timeout);

    // After so long, whatever is under way fails; none takes the limit away.
    void set_deadline(std::optional<Millis> after);
    void set_silence_limit(std::optional<Millis> limit) { silence_limit_ = limit; }

    [[nodiscard]] Co<Result<void>> write(std::string bytes);
    [[nodiscard]] Co<Result<void>> read_head(wire::Method method);
    // The next bytes of the body; nothing at its end.
    [[nodiscard]] Co<Result<std::optional<std::string>>> read_body();

    const wire::ResponseHead& head() const { return parser_.head(); }
    // Whether any byte of an answer has come.
    bool answered() const { return parser_.started(); }
    // The answer is complete and both sides keep the connection.
    bool is_reusable() const;
    // For one that waited: whether the server is still there.
    bool is_alive();
    void close(ErrorCode why);
    bool is_open() const { return transport_.is_open(); }
    Transport take_transport() { return std::move(transport_); }

private:
    [[nodiscard]] Co<Result<void>> handshake();
    [[nodiscard]] Co<Result<void>> wait(Io::Kind kind);
    [[nodiscard]] Co<Result<bool>> read_some();  // false at the end
    Rejection lost(std::string_view what) const;

    Transport transport_;
    asio::steady_timer timer_;
    wire::ResponseParser parser_;
    std::string input_;
    wire::Step step_ = wire::Step::need_more;
    std::optional<Millis> silence_limit_;
    ErrorCode why_closed_ = ErrorCode::unavailable;
    bool timed_out_ = false;
};

}  // namespace parley::net
