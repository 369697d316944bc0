// SPDX-License-Identifier: Apache-2.0
#include "door/mcp/mcp_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/told_error.h"
#include "door/limits.h"
#include "door/mcp/conversation_id.h"
#include "door/mcp/modern_outlet.h"
#include "door/mcp/request_headers.h"
#include "net/secret.h"

namespace parley::mcp {

namespace rpc = wire::rpc;

namespace {

constexpr std::string_view kPath = "/mcp";

void refuse(net::Exchange& exchange, int status, std::string_view message, int code = kRefused,
            const rpc::Id& id = {}) {
    exchange.respond({.status = status,
                      .content_type = net::kJson,
                      .body = rpc::write_failure(id, code, message)});
}

void refuse(net::Exchange& exchange, const HeaderFault& fault, const rpc::Id& id = {}) {
    if (fault.status == 405) exchange.add_header("Allow", "POST");
    refuse(exchange, fault.status, fault.message, fault.code, id);
}

const json::Value* params_of(const rpc::Message& message) {
    if (const auto* request = std::get_if<rpc::Request>(&message)) return &request->params;
    if (const auto* notification = std::get_if<rpc::Notification>(&message))
        return &notification->params;
    return nullptr;
}

bool is_modern_message(const net::Exchange& exchange, const rpc::Message& message) {
    const json::Value* params = params_of(message);
    return says_modern(exchange) || (params != nullptr && is_modern(*params));
}

bool is_request(const rpc::Message& message, std::string_view method) {
    const auto* request = std::get_if<rpc::Request>(&message);
    return request != nullptr && request->method == method;
}

// Two agents may run the same client, and a session is one agent's: the name, and of the principal
// as much as tells it from an earlier one of that name.
std::string own_tag(const Visitor& visitor) {
    constexpr std::size_t kTail = 4;
    const std::string& principal = visitor.actor.principal;
    return fmt::format("{}-{}", visitor.actor.name.value_or(principal),
                       principal.substr(principal.size() - std::min(principal.size(), kTail)));
}

// The broker's own failure, as anybody may hear it: who calls here is an agent, or its client.
void refuse_failure(net::Exchange& exchange, const Error& error) {
    refuse(exchange, error.code == ErrorCode::too_large ? 413 : 503, told_to_agents(error).message);
}

// A conversation is held with one right: one principal may have a token for one session alone, and
// another for all that is its own.
std::string right_of(const Visitor& visitor) {
    const auto& session = visitor.actor.only_session;
    return fmt::format("{} {}", visitor.actor.principal, session ? session->str() : "");
}

}  // namespace

void McpDoor::add_routes(net::Router& router, net::RouteOptions route) {
    read_letters();
    net::RouteOptions posted = route;
    posted.content_types = {net::kJson};
    router.post(
        kPath, [this](net::Exchange exchange) { post(std::move(exchange)); }, std::move(posted));
    router.get(kPath, [this](net::Exchange exchange) { get(std::move(exchange)); }, route);
    router.del(
        kPath, [this](net::Exchange exchange) { end(std::move(exchange)); }, std::move(route));
}

void McpDoor::post(net::Exchange exchange) {
    if (const auto fault = check_posted(exchange)) return refuse(exchange, *fault);
    rpc::Document document = rpc::parse(exchange.body());
    if (document.batch)
        return refuse(exchange, 400, "send one message at a time", rpc::kInvalidRequest);
    rpc::Message message = std::move(document.messages.front());
    if (const auto* malformed = std::get_if<rpc::Malformed>(&message))
        return refuse(exchange, 400, malformed->message, malformed->code, malformed->id);
    if (is_modern_message(exchange, message))
        return post_modern(std::move(exchange), std::move(message));
    post_legacy(std::move(exchange), std::move(message));
}

void McpDoor::post_modern(net::Exchange exchange, rpc::Message message) {
    const auto* request = std::get_if<rpc::Request>(&message);
    // A modern client cancels by closing its stream; there is nothing to notify of.
    if (request == nullptr) return exchange.respond({.status = 202});
    if (const auto fault = check_modern(exchange, *request))
        return refuse(exchange, *fault, request->id);
    Peer& peer = modern_of(wiring_.visitor(exchange));
    const auto outlet = std::make_shared<ModernOutlet>(std::move(exchange));
    if (const auto call = peer.conversation->take(std::move(message), outlet)) outlet->watch(call);
}

void McpDoor::post_legacy(net::Exchange exchange, rpc::Message message) {
    if (is_request(message, "initialize"))
        return initialize(std::move(exchange), std::move(message));
    Peer* peer = find_legacy(exchange);
    if (peer == nullptr) return;
    if (!std::holds_alternative<rpc::Request>(message)) {
        if (!peer->conversation->awaits(message) && may_be_awaited(message))
            return send_on(std::move(exchange), peer->name);
        peer->conversation->take(std::move(message), nullptr);
        return exchange.respond({.status = 202});
    }
    auto outlet =
        std::make_shared<LegacyOutlet>(std::move(exchange), [peer] { return open_log(*peer); });
    peer->conversation->take(std::move(message), std::move(outlet));
}

void McpDoor::send_on(net::Exchange exchange, const std::string& conversation) {
    std::string message(exchange.body());
    letters_.send(conversation, std::move(message),
                  [exchange = std::move(exchange)](const Result<void>& sent) mutable {
                      if (sent) return exchange.respond({.status = 202});
                      refuse_failure(exchange, sent.error());
                  });
}

void McpDoor::initialize(net::Exchange exchange, rpc::Message message) {
    if (!make_room()) return refuse(exchange, 503, "there are too many sessions");
    Visitor visitor = wiring_.visitor(exchange);
    const auto client = read_initialize(std::get<rpc::Request>(message).params);
    const std::string id = write_conversation_id(client.value_or(ClientInfo()),
                                                 {options_.state_key, right_of(visitor)});
    exchange.add_header(kSessionHeader, id);
    auto peer = make_peer(std::move(visitor), std::string(tag_of(id)));
    peer->conversation->take(std::move(message),
                             std::make_shared<LegacyOutlet>(std::move(exchange), [] {
                                 return std::make_shared<EventLog>("", false);
                             }));
    add_legacy(id, std::move(peer));
}

McpDoor::Peer& McpDoor::add_legacy(const std::string& id, std::unique_ptr<Peer> peer) {
    const Conversation& conversation = *peer->conversation;
    peer->name = conversation_name(id);
    peer->aside = std::make_shared<EventLog>(conversation.mark() + "0",
                                             conversation.client().is_at_least("2025-11-25"));
    return *legacy_.insert_or_assign(id, std::move(peer)).first->second;
}

McpDoor::Peer* McpDoor::go_on_with(const std::string& id, Visitor visitor) {
    auto client = read_conversation_id(id, {options_.state_key, right_of(visitor)});
    if (!client || letters_.has_ended(conversation_name(id)) || !make_room()) return nullptr;
    auto peer = make_peer(std::move(visitor), std::string(tag_of(id)));
    peer->conversation->go_on_with(*std::move(client));
    return &add_legacy(id, std::move(peer));
}

void McpDoor::read_letters() {
    letters_.read_with(
        {.take = [this](const auto& conversation,
                        const auto& message) { return take_letter(conversation, message); },
         .round_came =
             [this](AskId ask) {
                 for (const auto& [right, peer] : modern_)
                     peer->conversation->round_came_elsewhere(ask);
             },
         .ended = [this](const auto& conversation) { leave(conversation); }});
}

bool McpDoor::take_letter(const std::string& conversation, const std::string& message) {
    const auto found = std::ranges::find_if(
        legacy_, [&](const auto& known) { return known.second->name == conversation; });
    if (found == legacy_.end()) return false;
    rpc::Document document = rpc::parse(message);
    Conversation& here = *found->second->conversation;
    if (document.messages.size() != 1 || !here.awaits(document.messages.front())) return false;
    here.take(std::move(document.messages.front()), nullptr);
    return true;
}

// It lives until what its calls have asked is taken back.
void McpDoor::leave(const std::string& conversation) {
    const auto found = std::ranges::find_if(
        legacy_, [&](const auto& known) { return known.second->name == conversation; });
    if (found == legacy_.end()) return;
    std::shared_ptr<Peer> peer = std::move(found->second);
    legacy_.erase(found);
    for (const auto& log : peer->logs) log->close();
    peer->aside->close();
    peer->conversation->leave(
        [peer, &loop = wiring_.loop]() mutable { loop.post([gone = std::move(peer)] {}); });
}

void McpDoor::end_revoked() {
    const auto is_over = [](const auto& known) { return !known.second->visitor.is_valid(); };
    std::erase_if(modern_, is_over);
    for (const auto& known : legacy_) {
        if (!is_over(known)) continue;
        for (const auto& log : known.second->logs) log->close();
        known.second->aside->close();
    }
    std::erase_if(legacy_, is_over);
}

void McpDoor::get(net::Exchange exchange) {
    if (const auto fault = check_listening(exchange)) return refuse(exchange, *fault);
    Peer* peer = find_legacy(exchange);
    if (peer == nullptr) return;
    const auto place = parse_event_id(exchange.header("Last-Event-ID"));
    if (place) {
        for (const auto& log : peer->logs)
            if (log->id() == place->stream) return log->attach(std::move(exchange), place->number);
    }
    const bool is_resumed = place && place->stream == peer->aside->id();
    peer->aside->attach(std::move(exchange), is_resumed ? place->number : 0);
}

void McpDoor::end(net::Exchange exchange) {
    if (const auto fault = check_ending(exchange)) return refuse(exchange, *fault);
    const Peer* peer = find_legacy(exchange);
    if (peer == nullptr) return;
    letters_.end(peer->name, [this, name = peer->name,
                              exchange = std::move(exchange)](const Result<void>& ended) mutable {
        if (!ended) return refuse_failure(exchange, ended.error());
        leave(name);
        exchange.respond({.status = 204});
    });
}

McpDoor::Peer* McpDoor::find_legacy(net::Exchange& exchange) {
    if (const auto fault = check_legacy(exchange)) {
        refuse(exchange, *fault);
        return nullptr;
    }
    const std::string id(exchange.header(kSessionHeader));
    Visitor visitor = wiring_.visitor(exchange);
    const auto found = legacy_.find(id);
    Peer* peer = found == legacy_.end() ? go_on_with(id, std::move(visitor))
                 : right_of(found->second->visitor) == right_of(visitor) ? found->second.get()
                                                                         : nullptr;
    if (peer == nullptr) {
        refuse(exchange, 404, "there is no such session; begin again with initialize");
        return nullptr;
    }
    peer->last_used = wiring_.loop.now();
    return peer;
}

McpDoor::Peer& McpDoor::modern_of(const Visitor& visitor) {
    auto& peer = modern_[right_of(visitor)];
    if (!peer) peer = make_peer(visitor, {});
    return *peer;
}

std::unique_ptr<McpDoor::Peer> McpDoor::make_peer(Visitor visitor, std::string tag) {
    auto peer = std::make_unique<Peer>();
    peer->link = wiring_.make_link(visitor.actor);
    ConversationOptions options{.info = options_.info};
    options.tag = tag.empty() && !visitor.is_person ? own_tag(visitor) : std::move(tag);
    if (const auto& session = visitor.actor.only_session) options.session = session->str();
    options.hold = options_.settings.hold;
    options.timeout = options_.settings.timeout;
    options.extras = options_.settings.extras;
    options.may_show_forms = visitor.is_person;
    options.seal = {.key = options_.state_key, .principal = visitor.actor.principal};
    peer->visitor = std::move(visitor);
    peer->last_used = wiring_.loop.now();
    peer->conversation = std::make_unique<Conversation>(
        Conversation::Wiring{
            *peer->link, wiring_.loop, wiring_.loop.clock(),
            [to = peer.get()](std::string message) {
                if (to->aside) to->aside->add(std::move(message));
            },
            [this](AskId id, Done<std::string> done) { done(wiring_.page_of(id)); },
            [this](AskId id) { letters_.tell_round(id); },
            [this] { return !wiring_.broker.lost_because().empty(); }},
        std::move(options));
    return peer;
}

// The session that was not used for the longest time, and has nothing open, makes room.
bool McpDoor::make_room() {
    if (legacy_.size() < limits::kMcpSessionsMax) return true;
    auto oldest = legacy_.end();
    for (auto candidate = legacy_.begin(); candidate != legacy_.end(); ++candidate) {
        if (candidate->second->conversation->has_open_calls()) continue;
        if (oldest == legacy_.end() || candidate->second->last_used < oldest->second->last_used)
            oldest = candidate;
    }
    if (oldest == legacy_.end()) return false;
    legacy_.erase(oldest);
    return true;
}

std::shared_ptr<EventLog> McpDoor::open_log(Peer& peer) {
    auto log =
        std::make_shared<EventLog>(fmt::format("{}{}", peer.conversation->mark(), peer.next_log++),
                                   peer.conversation->client().is_at_least("2025-11-25"));
    auto& logs = peer.logs;
    logs.push_back(log);
    if (logs.size() > limits::kMcpStreamsKept) {
        const auto finished =
            std::ranges::find_if(logs, [](const auto& kept) { return kept->is_finished(); });
        if (finished != logs.end()) logs.erase(finished);
    }
    return log;
}

}  // namespace parley::mcp
