// SPDX-License-Identifier: Apache-2.0
#include "bare_server.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <memory>
#include <utility>

#include "measure.h"

namespace parley::bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// One connection: reads, answers, reads again. Kept alive by what it waits for.
class BareSession : public std::enable_shared_from_this<BareSession> {
public:
    BareSession(tcp::socket socket, const std::string& document)
        : stream_(std::move(socket)), document_(document) {
        stream_.socket().set_option(tcp::no_delay(true));
    }

    void read() {
        request_ = {};
        stream_.expires_after(std::chrono::seconds(30));
        http::async_read(stream_, buffer_, request_,
                         [self = shared_from_this()](error_code error, std::size_t) {
                             if (!error) self->answer();
                         });
    }

private:
    void answer() {
        const bool is_echo = request_.target().starts_with("/echo");
        response_ = {};
        response_.version(request_.version());
        response_.keep_alive(request_.keep_alive());
        response_.set(http::field::date, "Sun, 15 Nov 2026 12:00:00 GMT");
        response_.set(http::field::content_type, "application/json");
        if (is_echo) {
            response_.body() = std::move(request_.body());
        } else {
            response_.body() = document_;
        }
        response_.prepare_payload();
        http::async_write(stream_, response_,
                          [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error && self->response_.keep_alive()) self->read();
                          });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request<http::string_body> request_;
    http::response<http::string_body> response_;
    const std::string& document_;
};

}  // namespace

BareServer::BareServer(std::string document)
    : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      document_(std::move(document)) {
    accept();
    thread_ = std::thread([this] {
        pin_to(0);
        context_.run();
    });
}

BareServer::~BareServer() {
    context_.stop();
    thread_.join();
}

void BareServer::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        if (error) return;
        std::make_shared<BareSession>(std::move(socket), document_)->read();
        accept();
    });
}

Target BareServer::target() {
    return {acceptor_.local_endpoint().port(), cpu_clock_of(thread_)};
}

}  // namespace parley::bench
