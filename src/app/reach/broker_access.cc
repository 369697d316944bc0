// SPDX-License-Identifier: Apache-2.0
#include "app/reach/broker_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "broker/broker.h"
#include "client/broker_place.h"
#include "client/local_link.h"
#include "client/remote_link.h"
#include "core/settle.h"
#include "net/login.h"
#include "net/loop.h"
#include "store/memory_engine.h"
#include "store/store.h"
#include "wire/url.h"

namespace parley::app {

namespace {

// Who sits at this terminal, as a broker's socket would know them.
Actor terminal_actor() {
    Actor actor = unrestricted_actor(fmt::format("uid:{}", ::getuid()), door_names::kTerminal);
    actor.name = net::login_name(::getuid());
    actor.uid = ::getuid();
    actor.pid = ::getpid();
    return actor;
}

class OwnBroker final : public BrokerAccess {
public:
    explicit OwnBroker(const ReachOptions& options)
        : store_(std::make_unique<MemoryEngine>(options.loop.clock()),
                 {.worker = options.loop, .home = options.loop, .clock = options.loop.clock()}),
          broker_({.home = options.loop,
                   .clock = options.loop.clock(),
                   .store = store_,
                   .random = system_random()}),
          link_({.home = options.loop, .clock = options.loop.clock(), .broker = broker_},
                terminal_actor(), options.profile) {}

    void start(Done<void> done) { broker_.start(std::move(done)); }

    Link& link() override { return link_; }
    RemoteLink* remote() override { return nullptr; }
    std::string address() const override { return {}; }
    bool is_lasting() const override { return false; }

private:
    Store store_;
    LoopBroker broker_;
    LocalLink link_;
};

class RemoteBroker final : public BrokerAccess {
public:
    RemoteBroker(std::unique_ptr<RemoteLink> link, std::string address)
        : link_(std::move(link)), address_(std::move(address)) {}

    void check(Done<void> done) { link_->check(std::move(done)); }

    Link& link() override { return *link_; }
    RemoteLink* remote() override { return link_.get(); }
    std::string address() const override { return address_; }
    bool is_lasting() const override { return true; }

private:
    std::unique_ptr<RemoteLink> link_;
    std::string address_;
};

// A socket's path may be given from this folder, and be used from another.
std::string lasting_address(const wire::Url& url, const std::string& address) {
    if (url.scheme != wire::Url::Scheme::unix_socket) return address;
    std::error_code error;
    const auto path = std::filesystem::absolute(url.socket_path, error);
    return error ? address : fmt::format("unix:{}", path.native());
}

// Where to look, in order.
std::vector<std::string> server_addresses(const ReachOptions& options) {
    if (options.global.server) return {*options.global.server};
    std::vector<std::string> addresses;
    for (const auto& socket : broker_sockets(options.environment))
        addresses.push_back(fmt::format("unix:{}", socket.native()));
    return addresses;
}

Result<std::unique_ptr<RemoteBroker>> make_remote(const ReachOptions& options,
                                                  const std::string& address) {
    auto url = wire::Url::parse(address);
    if (!url) return reject(ErrorCode::invalid, "--server {}: {}", address, url.error().message);
    std::string lasting = lasting_address(*url, address);
    auto link = RemoteLink::create(options.loop,
                                   {.server = std::move(*url),
                                    .token = options.global.token.value_or(""),
                                    .by = options.environment.find("USER"),
                                    .door = std::string(options.door),
                                    .trust = {.authority_file = options.global.ca.value_or("")}});
    if (!link) return reject(ErrorCode::invalid, "--ca: {}", link.error().message);
    return std::make_unique<RemoteBroker>(std::move(*link), std::move(lasting));
}

// OpenSSL's words for a chain that ends with nobody whom we trust.
bool is_unknown_authority(std::string_view message) {
    return message.find("self-signed") != std::string_view::npos ||
           message.find("issuer") != std::string_view::npos;
}

Error unreached(const std::string& address, Error error) {
    if (error.code == ErrorCode::unavailable) {
        const bool is_local = address.starts_with("unix:");
        const std::string_view advice =
            is_local ? "start one with 'parley serve', or name another with --server"
            : is_unknown_authority(error.message)
                ? "if that is right, name the authority that signed it with --ca FILE"
                : "see that 'parley serve' runs there, and that --server is right";
        // The error names the address.
        error.message = fmt::format("cannot reach a broker: {}; {}", error.message, advice);
    } else {
        error.message = fmt::format("the broker at {} refuses: {}{}", address, error.message,
                                    error.message.find("valid token") == std::string::npos
                                        ? ""
                                        : "; give --token or PARLEY_TOKEN");
    }
    return error;
}

void fail(const ReachOptions& options, Error error, AccessDone done) {
    options.loop.post([done = std::move(done), error = std::move(error)]() mutable {
        done(reject(std::move(error)));
    });
}

// Of those where none answers, the first is named: it is where a broker ought to be.
void open_first(const ReachOptions& options, std::vector<std::string> addresses, AccessDone done) {
    const std::string address = addresses.front();
    addresses.erase(addresses.begin());
    auto remote = make_remote(options, address);
    if (!remote) return fail(options, std::move(remote).error(), std::move(done));
    RemoteBroker& reaching = **remote;
    reaching.check([options, remote = std::move(*remote), address, addresses = std::move(addresses),
                    done = std::move(done)](Result<void> reached) mutable {
        if (reached) return done(std::move(remote));
        Error error = unreached(address, std::move(reached).error());
        if (error.code != ErrorCode::unavailable || addresses.empty())
            return done(reject(std::move(error)));
        open_first(options, std::move(addresses),
                   [error = std::move(error),
                    done = std::move(done)](Result<std::unique_ptr<BrokerAccess>> opened) mutable {
                       const bool is_away =
                           !opened && opened.error().code == ErrorCode::unavailable;
                       if (is_away) return done(reject(std::move(error)));
                       done(std::move(opened));
                   });
    });
}

}  // namespace

void open_own_broker(const ReachOptions& options, AccessDone done) {
    auto broker = std::make_unique<OwnBroker>(options);
    OwnBroker& starting = *broker;
    starting.start(
        [broker = std::move(broker), done = std::move(done)](Result<void> started) mutable {
            if (!started) return done(reject(std::move(started).error()));
            done(std::move(broker));
        });
}

void open_server(const ReachOptions& options, AccessDone done) {
    auto addresses = server_addresses(options);
    if (addresses.empty()) {
        return fail(options,
                    {ErrorCode::unavailable,
                     "there is no HOME to find a broker in; name one with --server"},
                    std::move(done));
    }
    open_first(options, std::move(addresses), std::move(done));
}

void open_server_or_own(const ReachOptions& options, AccessDone done) {
    if (options.global.server) return open_server(options, std::move(done));
    open_server(options, [options, done = std::move(done)](
                             Result<std::unique_ptr<BrokerAccess>> reached) mutable {
        const bool is_away = !reached && reached.error().code == ErrorCode::unavailable;
        if (is_away) return open_own_broker(options, std::move(done));
        done(std::move(reached));
    });
}

}  // namespace parley::app
