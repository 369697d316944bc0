// SPDX-License-Identifier: Apache-2.0
#include "client/program/remote_home.h"

#include <fmt/format.h>

#include <utility>

#include "client/broker_place.h"
#include "client/program/core.h"
#include "client/program/hook.h"
#include "wire/url.h"

namespace parley::program {

RemoteHome::RemoteHome(ClientOptions options, const Environment& environment)
    : options_(std::move(options)), token_(options_.token) {
    if (!options_.server.empty()) {
        addresses_ = {options_.server};
        return;
    }
    // A token of the environment goes to the broker of the environment and to no other.
    if (token_.empty()) token_ = environment.find("PARLEY_TOKEN").value_or("");
    if (const auto named = environment.find("PARLEY_SERVER")) {
        addresses_ = {*named};
        return;
    }
    for (const auto& socket : broker_sockets(environment))
        addresses_.push_back(fmt::format("unix:{}", socket.native()));
}

Result<void> RemoteHome::open() {
    if (addresses_.empty())
        return reject(ErrorCode::unavailable,
                      "there is no HOME to find a broker in; say where it is");
    thread_ = std::thread([this] { loop_.run(); });
    Slot<void> reached;
    loop_.post([&] { reach(0, Hook<void, Slot<void>*>(&reached)); });
    auto outcome = reached.take();
    if (!outcome) close();
    return outcome;
}

void RemoteHome::close() {
    loop_.post([this] {
        link_.reset();
        loop_.stop();
    });
    thread_.join();
}

Result<std::unique_ptr<RemoteLink>> RemoteHome::make_link(const std::string& address) {
    auto url = wire::Url::parse(address);
    if (!url) return reject(ErrorCode::invalid, "{}: {}", address, url.error().message);
    return RemoteLink::create(loop_, {.server = std::move(*url),
                                      .token = token_,
                                      .by = options_.by,
                                      .trust = {.authority_file = options_.authority_file}});
}

void RemoteHome::reach(std::size_t number, Done<void> done) {
    auto made = make_link(addresses_[number]);
    if (!made) return done(reject(std::move(made).error()));
    link_ = std::move(*made);
    link_->check([this, number, done = std::move(done)](Result<void> reached) mutable {
        const bool is_elsewhere = !reached && reached.error().code == ErrorCode::unavailable &&
                                  number + 1 < addresses_.size();
        if (!is_elsewhere) return done(std::move(reached));
        // Not inside a callback of the link that goes.
        loop_.post([this, number, done = std::move(done)]() mutable {
            reach(number + 1, std::move(done));
        });
    });
}

}  // namespace parley::program

namespace parley {

Result<Client> Client::connect(ClientOptions options) {
    program::ProgramCode code{.resume = options.resume, .on_problem = options.on_problem};
    TRY(core, program::Core::open(std::make_unique<program::RemoteHome>(std::move(options),
                                                                        Environment::of_process()),
                                  std::move(code)));
    return Client(std::move(core));
}

}  // namespace parley
