// SPDX-License-Identifier: Apache-2.0
// MCP over HTTP, at /mcp: one endpoint for both eras. Legacy clients have a session, made by
// `initialize` and named by Mcp-Session-Id, which any node goes on with, and whose streams can be
// resumed where they began; modern requests stand each for itself. Belongs to the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "bridge/mcp/conversation.h"
#include "client/link.h"
#include "core/settle.h"
#include "door/mcp/event_log.h"
#include "door/mcp/letters.h"
#include "net/loop.h"
#include "net/router.h"

namespace parley::mcp {

// Who calls, as the gate found out.
struct Visitor {
    Actor actor;
    bool is_person = false;  // may answer: forms are shown to it
    // Whether the right still counts: other tokens may give the same one.
    std::function<bool()> is_valid = [] { return true; };
};

// What whoever runs the server may say about it.
struct HttpSettings {
    std::optional<Millis> hold = {};     // as in ConversationOptions
    std::optional<Millis> timeout = {};  // the same
    Extras* extras = nullptr;            // outlives the endpoint
};

class McpDoor {
public:
    struct Wiring {
        net::Loop& loop;
        LoopBroker& broker;
        const Clock& clock;
        // Of the request's caller.
        std::function<Visitor(const net::Exchange&)> visitor;
        // A link in the name of that caller.
        std::function<std::unique_ptr<Link>(const Actor&)> make_link;
        // The address of a page that signs a person in and shows this ask.
        std::function<std::string(AskId)> page_of;
    };
    struct Options {
        ServerInfo info;
        std::string state_key;  // signs what clients carry; the same after a restart
        HttpSettings settings = {};
    };

    McpDoor(Wiring wiring, Options options)
        : wiring_(std::move(wiring)),
          options_(std::move(options)),
          letters_(wiring_.broker, wiring_.clock) {}

    // The routes, and the broker, keep a reference to this.
    void add_routes(net::Router& router, net::RouteOptions route);
    // Ends the conversations whose right has ended. What they asked goes on waiting.
    void end_revoked();

private:
    // A client: its link goes after its session.
    struct Peer {
        Visitor visitor;
        std::unique_ptr<Link> link;
        std::unique_ptr<Conversation> conversation;
        std::string name = {};  // of the conversation, among nodes; empty if it is modern
        Mono last_used = {};
        // Legacy only.
        std::deque<std::shared_ptr<EventLog>> logs;
        std::shared_ptr<EventLog> aside;
        std::uint64_t next_log = 1;
    };

    void post(net::Exchange exchange);
    void post_modern(net::Exchange exchange, wire::rpc::Message message);
    void post_legacy(net::Exchange exchange, wire::rpc::Message message);
    void initialize(net::Exchange exchange, wire::rpc::Message message);
    void get(net::Exchange exchange);
    void end(net::Exchange exchange);

    // Null if it was answered already.
    Peer* find_legacy(net::Exchange& exchange);
    // Of a conversation that began elsewhere; null if it is none, or there is no room.
    Peer* go_on_with(const std::string& id, Visitor visitor);
    Peer& add_legacy(const std::string& id, std::unique_ptr<Peer> peer);
    // To whichever node waits for what it says.
    void send_on(net::Exchange exchange, const std::string& conversation);
    void read_letters();
    bool take_letter(const std::string& conversation, const std::string& message);
    void leave(const std::string& conversation);
    Peer& modern_of(const Visitor& visitor);
    std::unique_ptr<Peer> make_peer(Visitor visitor, std::string tag);
    bool make_room();
    static std::shared_ptr<EventLog> open_log(Peer& peer);

    Wiring wiring_;
    Options options_;
    Letters letters_;
    std::unordered_map<std::string, std::unique_ptr<Peer>> legacy_;  // by session id
    std::map<std::string, std::unique_ptr<Peer>> modern_;            // by right
};

}  // namespace parley::mcp
