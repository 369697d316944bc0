// SPDX-License-Identifier: Apache-2.0
// How a browser becomes known: an address that works once, or a token typed into a form, turns into
// a cookie. Each such sign-in is kept in the store as a token of its own, so that it outlives a
// restart, is listed with the tokens and can be revoked like one. Belongs to the loop's thread.
//
//   GET  /sign-in        who the caller is
//   POST /sign-in        a caller with a token gets a cookie
//   POST /sign-out       the sign-in behind the cookie ends
//   POST /sign-in/links  for the owner: a new address that works once
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "broker/broker.h"
#include "door/access.h"
#include "door/sign_in_links.h"
#include "net/router.h"

namespace parley {

class SignIn {
public:
    struct Wiring {
        LoopBroker& broker;
        Access& access;
        const Clock& clock;
        std::string key;  // signs the addresses; all nodes have the same, and after a restart
        // This server as a browser reaches it, "http://127.0.0.1:7373"; known once it listens.
        std::function<std::string()> url;
    };

    explicit SignIn(Wiring wiring) : wiring_(std::move(wiring)) {}

    // The routes keep a reference to this.
    void add_routes(net::Router& router);

    // Whether the request brought a ticket in `?token=`; it is answered with a cookie then, or will
    // be.
    bool redeem(net::Exchange& exchange);

    // An address that signs one browser in, once: as a new person, whose name is asked for, or as
    // the one of that name, who may be new too. An agent is refused.
    std::string make_link();
    void make_link_for(const std::string& person, Done<std::string> done);

private:
    void sign_in(net::Exchange exchange, Token token, const Token* parent, int status);
    std::string link_to(Invitation invitation);
    void reply_link(net::Exchange exchange);
    // Decides who was the first to use it, at whichever node.
    void spend(net::Exchange exchange, const std::string& mark, const Invitation& invited);
    void sign_out(net::Exchange exchange);
    void make_room(const Token* parent);
    std::string cookie_line(const net::Exchange& exchange, std::string_view secret,
                            std::chrono::seconds life) const;

    Wiring wiring_;
};

// The principal that is invited by a name that nobody has yet.
std::optional<std::string> find_invited(const LoopBroker& broker, std::string_view person,
                                        Instant now);

}  // namespace parley
