// SPDX-License-Identifier: Apache-2.0
// The limit for this stack: a server as Beast's own documentation builds one. It reads a request
// with a string body from a tcp_stream, under a deadline, and writes a response with a string body;
// it has no routes, no access rules and no store. What is sent to /echo comes back; anything else
// gets a document of its choice. Runs in a thread of its own on core 0.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <ctime>
#include <string>
#include <thread>

namespace parley::bench {

// Where a load goes, and whose CPU time it costs.
struct Target {
    std::uint16_t port;
    clockid_t cpu;
};

class BareServer {
public:
    explicit BareServer(std::string document);
    ~BareServer();

    Target target();

private:
    void accept();

    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::string document_;
    std::thread thread_;
};

}  // namespace parley::bench
