// SPDX-License-Identifier: Apache-2.0
// A broker inside a program that others reach too: what the program asks can be answered from a
// browser, a phone, a terminal (`parley answer`), over HTTP, and by a parley::Client in another
// program; and others can ask there. It serves what `parley serve` serves.
//
//     auto server = parley::Server::open({.broker = {.store = "sqlite:/var/lib/app/asks.db"},
//                                         .listen = "127.0.0.1:7373",
//                                         .socket = "/run/app/parley.sock"});
//     if (!server) return complain(server.error());
//     std::cout << "answer at " << *server->sign_in_url() << '\n';
//
//     parley::Ticket ticket = server->broker().ask(…);      // as with a parley::Broker
//
// Threads and errors are those of parley/any_broker.h. SIGPIPE and SIGXFSZ are ignored in the whole
// process from then on: what they tell comes as an error.
#pragma once

#include <memory>
#include <string>

#include "parley/broker.h"
#include "parley/result.h"

namespace parley {

namespace program {
class ServerHome;
}  // namespace program

struct ServerOptions {
    BrokerOptions broker = {};
    // HOST:PORT; port 0 is a free one. Beyond this machine only with TLS.
    std::string listen = "127.0.0.1:0";
    // The path of a local socket; its owner needs no token there. Empty: none.
    std::string socket = {};
    // The owner's token, one line, made if there is no such file; for clients over HTTP. Empty:
    // there is none, and sign_in_url() and the socket are the ways in.
    std::string token_file = {};
    // PEM files; both or none.
    std::string tls_certificate = {};
    std::string tls_key = {};
    // How people reach it where a proxy with TLS stands before it. Empty: as it listens.
    std::string public_url = {};
};

class Server {
public:
    // Blocks until requests are served, or says why they will not be.
    [[nodiscard]] static Result<Server> open(ServerOptions options = {});

    // The program's own way to it. Closing it closes the server.
    Broker& broker() { return broker_; }
    // Where it listens.
    const std::string& url() const { return url_; }
    // For one person: an address that signs a browser in, once.
    [[nodiscard]] Result<std::string> sign_in_url();

    // Stops taking requests, then as Broker::close(). Who waits elsewhere waits on for the next
    // start with the same store.
    void close() { broker_.close(); }

private:
    Server(std::shared_ptr<program::Core> core, program::ServerHome& home);

    std::shared_ptr<program::Core> core_;
    program::ServerHome* home_;  // the core's
    std::string url_;
    Broker broker_;
};

}  // namespace parley
