// SPDX-License-Identifier: Apache-2.0
// A program with a broker of its own that others reach: what it asks can be answered in a browser,
// with `parley answer` or over HTTP at the socket, and other programs may ask there as well.
//
//     server SOCKET [HOST:PORT]
#include <parley/server.h>

#include <iostream>

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: server SOCKET [HOST:PORT]\n";
        return 2;
    }
    const std::string socket = argv[1];
    auto server = parley::Server::open({.broker = {.principal = "deployer"},
                                        .listen = argc > 2 ? argv[2] : "127.0.0.1:0",
                                        .socket = socket});
    if (!server) {
        std::cerr << "server: " << server.error().message << '\n';
        return 1;
    }
    const parley::Ticket ticket = server->broker().ask({
        .spec = {.questions = {{.text = "Roll out to every region?",
                                .header = "Rollout",
                                .options = {{"All", "at once"}, {"One", "and look"}}}}},
        .session = "rollout",
    });
    const auto opened = ticket.opened();
    const auto address = server->sign_in_url();
    if (opened && address)
        std::cerr << "answer with: parley --server unix:" << socket << " answer "
                  << (*opened)->id.str() << "\nor in a browser: " << *address << '\n';

    const auto settled = ticket.wait();
    if (!settled || (*settled)->state() != parley::AskState::answered) {
        std::cout << "no answer\n";
        return 1;
    }
    std::cout << (*settled)->settlement->answers.front().selected.front() << ", by the door "
              << (*settled)->settlement->door << '\n';
    return 0;
}
