// SPDX-License-Identifier: Apache-2.0
// A program at a broker that runs elsewhere: `parley serve` on this machine or another, or a
// program with a parley::Server. It asks, answers and watches as with a broker of its own.
//
//     auto client = parley::Client::connect();             // this user's own broker
//     if (!client) return complain(client.error());
//
//     parley::Ticket ticket = client->ask({.spec = {.questions = {{
//         .text = "Deploy to production?", .header = "Deploy",
//         .options = {{"Yes", "now"}, {"No", "not today"}}}}}});
//     auto settled = ticket.wait();
//
// Asking, waiting, watching and the question handler go on by themselves when the connection is
// lost or the broker is started again; nothing is asked twice or missed. All other calls are tried
// for some seconds and then fail with `unavailable`.
//
// Its calls, threads and errors are those of parley/any_broker.h.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parley/any_broker.h"

namespace parley {

struct ClientOptions {
    // http://HOST:PORT, https://HOST:PORT or unix:PATH. Empty: the broker that the commands find,
    // which is PARLEY_SERVER's or else this user's own.
    std::string server = {};
    // Empty: PARLEY_TOKEN's. A local socket needs none.
    std::string token = {};
    // A file with the authority that signed the server's certificate; empty: those of the system.
    std::string authority_file = {};
    // Who acts, as this program says; recorded beside the token's name.
    std::optional<std::string> by = {};
    // As in BrokerOptions.
    std::function<void(std::coroutine_handle<>)> resume = {};
    std::function<void(std::string_view what)> on_problem = {};
};

// Closing it ends nothing at the broker. Whether what was on its way has arrived is not known then;
// an ask with a key can be made again.
class Client : public AnyBroker {
public:
    // Blocks until a broker has answered, or says why none does: `unavailable` where none is
    // there, `denied` for a token that is not valid.
    [[nodiscard]] static Result<Client> connect(ClientOptions options = {});

private:
    explicit Client(std::shared_ptr<program::Core> core) : AnyBroker(std::move(core)) {}
};

}  // namespace parley
