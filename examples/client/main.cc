// SPDX-License-Identifier: Apache-2.0
// A program that asks the broker of this user, or the one that it is given, and waits for whoever
// answers: in the terminal, on the page, from a phone. The question has a key: start the program
// again, and it goes on with the same question, or with the answer that it got meanwhile.
//
//     client [unix:PATH | http://HOST:PORT]
#include <parley/client.h>

#include <iostream>

int main(int argc, char** argv) {
    auto client = parley::Client::connect({.server = argc > 1 ? argv[1] : ""});
    if (!client) {
        std::cerr << "client: " << client.error().message << '\n';
        return 1;
    }
    const parley::Ticket ticket = client->ask({
        .spec = {.questions = {{.text = "Deploy version 7 to production?",
                                .header = "Deploy",
                                .options = {{"Yes", "now"}, {"No", "not today"}}}},
                 .key = "deploy-7"},
        .session = "deploy",
    });
    const auto opened = ticket.opened();
    if (opened) std::cerr << "answer with: parley answer " << (*opened)->id.str() << '\n';

    const auto settled = ticket.wait();
    if (!settled) {
        std::cerr << "client: " << settled.error().message << '\n';
        return 1;
    }
    const parley::Ask& ask = **settled;
    if (ask.state() != parley::AskState::answered) {
        std::cout << "no answer, " << to_string(ask.state()) << '\n';
        return 1;
    }
    std::cout << ask.settlement->answers.front().selected.front() << ", says "
              << ask.settlement->decider.name.value_or("somebody") << '\n';
    return 0;
}
