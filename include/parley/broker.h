// SPDX-License-Identifier: Apache-2.0
// Parley inside a program: ask a person a question and go on with the answer, or be the part of the
// program that answers. Questions and answers are kept in a store; what was acknowledged survives a
// crash, and an ask has exactly one settlement, whoever races for it.
//
//     auto broker = parley::Broker::open({.store = "sqlite:/var/lib/app/asks.db"});
//     if (!broker) return complain(broker.error());
//
//     parley::Ticket ticket = broker->ask({.spec = {.questions = {{
//         .text = "Deploy to production?", .header = "Deploy",
//         .options = {{"Yes", "now"}, {"No", "not today"}}}}}});
//
//     auto settled = ticket.wait();                        // blocking,
//     ticket.on_settled([](const auto& settled) { … });    // or with a callback,
//     auto settled = co_await ticket;                      // or in a coroutine of any library
//
//     if (!settled) …                                      // never opened, or the broker closed
//     else if ((*settled)->state() == parley::AskState::answered)
//         use((*settled)->settlement->answers);
//
// Its calls, threads and errors are those of parley/any_broker.h.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "parley/any_broker.h"

namespace parley {

struct BrokerOptions {
    // "memory:" forgets everything with the process; "sqlite:PATH" is a file, created if it is not
    // there, and held by one broker at a time.
    std::string store = "memory:";
    // Who this program is in the records: as asker, and as the decider of what it settles.
    std::string principal = "program";
    // Takes a coroutine whose ask has ended to where it goes on, e.g. by posting it to the
    // program's own loop, which then calls resume() on it. Called on the callback thread. Empty:
    // it goes on there.
    std::function<void(std::coroutine_handle<>)> resume = {};
    // Told what no caller can be told: an exception out of a callback or a handler, an answer of
    // the handler that was refused. Empty: a line on standard error.
    std::function<void(std::string_view what)> on_problem = {};
};

// Closing it still writes what was asked or settled before, then closes the store; pending asks
// stay pending there.
class Broker : public AnyBroker {
public:
    // Blocks until the store is loaded and everything that was due meanwhile is settled.
    [[nodiscard]] static Result<Broker> open(BrokerOptions options = {});

private:
    friend class Server;
    explicit Broker(std::shared_ptr<program::Core> core) : AnyBroker(std::move(core)) {}
};

}  // namespace parley
