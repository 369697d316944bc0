// SPDX-License-Identifier: Apache-2.0
// /session/{id}/message and /session/{id}/prompt_async: what was said, and speaking to the agent.
#include <limits>
#include <utility>

#include "dialect/opencode/requests.h"
#include "door/known_session.h"
#include "door/opencode/held_prompt.h"
#include "door/opencode/message_reply.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/opencode_replies.h"
#include "door/opencode/settling.h"

namespace parley {

namespace {

using opencode::Generation;

net::Co<Result<SessionPtr>> find_session(OpenCodeDoor* door, std::string ref, Viewer who) {
    co_return co_await net::await_callback<Result<SessionPtr>>(
        [door, ref, who](UniqueFunction<void(Result<SessionPtr>)> done) {
            door->broker().find_session(ref, who, std::move(done));
        });
}

net::Co<void> list_messages(OpenCodeDoor* door, net::Exchange exchange) {
    const auto limit = opencode::query_limit(exchange, std::numeric_limits<std::size_t>::max());
    if (!limit) co_return;
    const std::string ref(exchange.param("sessionID"));
    auto session = co_await find_session(door, ref, viewer(exchange));
    if (!session) co_return opencode::reply_no_session(exchange, Generation::v1, ref);
    opencode::MessageReply reply(*door, std::move(*session), std::move(exchange));
    if (co_await reply.read_outline()) co_await reply.write_list(*limit);
}

net::Co<void> get(OpenCodeDoor* door, net::Exchange exchange) {
    const std::string ref(exchange.param("sessionID"));
    auto session = co_await find_session(door, ref, viewer(exchange));
    if (!session) co_return opencode::reply_no_session(exchange, Generation::v1, ref);
    opencode::MessageReply reply(*door, std::move(*session), std::move(exchange));
    if (!co_await reply.read_outline()) co_return;
    const std::string_view id = reply.exchange().param("messageID");
    const auto* message = reply.outline().find(id);
    if (message == nullptr) co_return opencode::reply_no_message(reply.exchange(), id);
    co_await reply.write_one(*message);
}

// The prompt and its session; nothing if the request was answered.
struct Prompt {
    SessionId session;
    std::string text;
};
std::optional<Prompt> read_prompt(OpenCodeDoor& door, net::Exchange& exchange) {
    const auto body = opencode::read_body(exchange);
    auto text = body ? opencode::read_prompt(*body) : Result<std::string>(reject(body.error()));
    if (!text) {
        opencode::reply_error(exchange, Generation::v1, text.error());
        return std::nullopt;
    }
    const auto session = opencode::path_session(door, exchange, Generation::v1);
    if (!session) return std::nullopt;
    return Prompt{*session, std::move(*text)};
}

void prompt_later(OpenCodeDoor& door, net::Exchange exchange) {
    auto prompt = read_prompt(door, exchange);
    if (!prompt) return;
    const Actor who = opencode::actor(exchange);
    door.broker().say(prompt->session.str(), std::move(prompt->text), who,
                      [exchange = std::move(exchange)](const Result<Said>& said) mutable {
                          if (!said)
                              return opencode::reply_error(exchange, Generation::v1, said.error());
                          exchange.respond({.status = 204});
                      });
}

void prompt_and_wait(OpenCodeDoor& door, net::Exchange exchange) {
    auto prompt = read_prompt(door, exchange);
    if (!prompt) return;
    opencode::HeldPrompt::hold(door, std::move(exchange), prompt->session, std::move(prompt->text));
}

}  // namespace

void OpenCodeDoor::add_message_routes(net::Router& router) {
    const auto with = [this](void (*handler)(OpenCodeDoor&, net::Exchange)) {
        return knowing_session_co(broker(), "sessionID", [this, handler](net::Exchange exchange) {
            handler(*this, std::move(exchange));
        });
    };
    const auto with_co = [this](net::Co<void> (*handler)(OpenCodeDoor*, net::Exchange)) {
        return knowing_session_co(broker(), "sessionID", [this, handler](net::Exchange exchange) {
            return handler(this, std::move(exchange));
        });
    };
    router.get("/session/{sessionID}/message", with_co(list_messages), route(Needs::responder));
    router.get("/session/{sessionID}/message/{messageID}", with_co(get), route(Needs::responder));
    router.post("/session/{sessionID}/message", with(prompt_and_wait),
                opencode::json_route(Needs::responder));
    router.post("/session/{sessionID}/prompt_async", with(prompt_later),
                opencode::json_route(Needs::responder));
}

}  // namespace parley
