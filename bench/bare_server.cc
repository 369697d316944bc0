// SPDX-License-Identifier: Apache-2.0
#include "bare_server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <utility>
#include <vector>

#include "measure.h"
#include "net/co.h"

namespace parley::bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using net::Co;
using net::kUseCo;

Co<void> serve_bare(tcp::socket socket, const std::string* document) {
    std::string input;
    std::string out;
    std::vector<char> room(8192);
    socket.set_option(tcp::no_delay(true));
    while (true) {
        http::request_parser<http::string_body> parser;
        parser.eager(true);
        while (!parser.is_done()) {
            boost::system::error_code error;
            if (!input.empty()) {
                input.erase(0, parser.put(asio::buffer(input), error));
                if (error && error != http::error::need_more) co_return;
                if (parser.is_done()) break;
            }
            const auto [failed, got] = co_await socket.async_read_some(asio::buffer(room), kUseCo);
            if (failed) co_return;
            input.append(room.data(), got);
        }
        const std::string& body =
            parser.get().method() == http::verb::get ? *document : parser.get().body();
        out =
            "HTTP/1.1 200 OK\r\nDate: Sun, 15 Nov 2026 12:00:00 GMT\r\n"
            "Content-Type: application/json\r\nContent-Length: ";
        out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
        const auto [failed, put] = co_await asio::async_write(socket, asio::buffer(out), kUseCo);
        if (failed) co_return;
    }
}

Co<void> accept_bare(tcp::acceptor* acceptor, const std::string* document) {
    while (true) {
        auto [error, socket] = co_await acceptor->async_accept(kUseCo);
        if (error) co_return;
        asio::co_spawn(acceptor->get_executor(), serve_bare(std::move(socket), document),
                       asio::detached);
    }
}

}  // namespace

BareServer::BareServer(std::string document)
    : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      document_(std::move(document)) {
    asio::co_spawn(context_, accept_bare(&acceptor_, &document_), asio::detached);
    thread_ = std::thread([this] {
        pin_to(0);
        context_.run();
    });
}

BareServer::~BareServer() {
    context_.stop();
    thread_.join();
}

Target BareServer::target() {
    return {acceptor_.local_endpoint().port(), cpu_clock_of(thread_)};
}

}  // namespace parley::bench
