// SPDX-License-Identifier: Apache-2.0
#include "net/transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/sizes.h"

namespace parley::net {

namespace {

constexpr std::size_t kTlsRecordSize = 16 * limits::kKiB;

bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

std::string take_openssl_error() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    if (code == 0) return "the connection was closed";
    const char* reason = ERR_reason_error_string(code);
    return reason != nullptr ? reason : "unknown TLS error";
}

}  // namespace

void Transport::FreeTls::operator()(ssl_st* tls) const {
    SSL_free(tls);
}

Transport::Transport(Loop& loop, int descriptor, int family) : socket_(loop.context()) {
    boost::system::error_code error;
    socket_.assign(asio::generic::stream_protocol(family, 0), descriptor, error);
    ASSERT(!error);
    // Asio must not put the descriptor back into blocking mode.
    socket_.native_non_blocking(true, error);
}

Transport::Transport(Transport&&) noexcept = default;
Transport& Transport::operator=(Transport&&) noexcept = default;
Transport::~Transport() = default;

void Transport::start_tls_server(const std::shared_ptr<ssl_ctx_st>& context) {
    tls_.reset(SSL_new(context.get()));
    ASSERT(tls_ != nullptr);
    SSL_set_fd(tls_.get(), socket_.native_handle());
    SSL_set_accept_state(tls_.get());
}

Result<void> Transport::start_tls_client(const TlsClient& client, const std::string& server_name) {
    tls_.reset(SSL_new(client.context().get()));
    ASSERT(tls_ != nullptr);
    SSL_set_fd(tls_.get(), socket_.native_handle());
    SSL_set_connect_state(tls_.get());
    std::array<unsigned char, 16> address;
    const bool is_address = inet_pton(AF_INET, server_name.c_str(), address.data()) == 1 ||
                            inet_pton(AF_INET6, server_name.c_str(), address.data()) == 1;
    if (!is_address) SSL_set_tlsext_host_name(tls_.get(), server_name.c_str());
    if (client.verify() == TlsTrust::Verify::nothing) return {};
    X509_VERIFY_PARAM* rules = SSL_get0_param(tls_.get());
    const int known = is_address ? X509_VERIFY_PARAM_set1_ip_asc(rules, server_name.c_str())
                                 : SSL_set1_host(tls_.get(), server_name.c_str());
    if (known != 1) return reject(ErrorCode::invalid, "{} is no server name", server_name);
    return {};
}

Io Transport::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    if (result == 1) return {Io::Kind::done};
    const Io outcome = tls_outcome(result);
    if (outcome.kind == Io::Kind::want_read || outcome.kind == Io::Kind::want_write) return outcome;
    const long verified = SSL_get_verify_result(tls_.get());
    tls_error_ =
        verified == X509_V_OK ? take_openssl_error() : X509_verify_cert_error_string(verified);
    return {Io::Kind::failed};
}

std::string Transport::tls_error() const {
    return tls_error_;
}

Io Transport::tls_outcome(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Io::Kind::want_read};
        case SSL_ERROR_WANT_WRITE: return {Io::Kind::want_write};
        case SSL_ERROR_ZERO_RETURN: return {Io::Kind::end};
        default: return {Io::Kind::failed};
    }
}

Io Transport::read(std::span<char> room) {
    if (tls_) {
        ERR_clear_error();
        std::size_t got = 0;
        const int result = SSL_read_ex(tls_.get(), room.data(), room.size(), &got);
        if (result == 1) return {Io::Kind::done, got};
        return tls_outcome(result);
    }
    while (true) {
        const ssize_t got = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
        if (got > 0) return {Io::Kind::done, static_cast<std::size_t>(got)};
        if (got == 0) return {Io::Kind::end};
        if (errno == EINTR) continue;
        return {would_block(errno) ? Io::Kind::want_read : Io::Kind::failed};
    }
}

Io Transport::write(std::span<const iovec> parts) {
    if (tls_) return tls_write(parts);
    constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());  // sendmsg does not write through it
    message.msg_iovlen = parts.size();
    const int descriptor = socket_.native_handle();
    while (true) {
        // Most often there is one part, and the system takes that for less.
        const ssize_t put = parts.size() == 1
                                ? ::send(descriptor, parts[0].iov_base, parts[0].iov_len, kFlags)
                                : ::sendmsg(descriptor, &message, kFlags);
        if (put >= 0) return {Io::Kind::done, static_cast<std::size_t>(put)};
        if (errno == EINTR) continue;
        return {would_block(errno) ? Io::Kind::want_write : Io::Kind::failed};
    }
}

// Small parts share a record. After want_write the same bytes must come again, which they do: a
// queue only grows at its end.
Io Transport::tls_write(std::span<const iovec> parts) {
    std::array<char, kTlsRecordSize> record;
    std::size_t filled = 0;
    for (const iovec& part : parts) {
        const std::size_t count = std::min(part.iov_len, record.size() - filled);
        std::memcpy(record.data() + filled, part.iov_base, count);
        filled += count;
        if (filled == record.size()) break;
    }
    ERR_clear_error();
    std::size_t put = 0;
    const int result = SSL_write_ex(tls_.get(), record.data(), filled, &put);
    if (result == 1) return {Io::Kind::done, put};
    return tls_outcome(result);
}

bool Transport::has_buffered() const {
    return tls_ != nullptr && SSL_has_pending(tls_.get()) == 1;
}

void Transport::finish_writing() {
    if (tls_ && SSL_is_init_finished(tls_.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
}

void Transport::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void Transport::cancel_waits() {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

}  // namespace parley::net
