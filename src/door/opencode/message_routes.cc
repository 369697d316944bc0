// SPDX-License-Identifier: Apache-2.0
// /session/{id}/message and /session/{id}/prompt_async: what was said, and speaking to the agent.
#include <memory>
#include <utility>

#include "base/limits.h"
#include "dialect/opencode_messages.h"
#include "dialect/opencode_requests.h"
#include "door/opencode/held_prompt.h"
#include "door/opencode/opencode_door.h"
#include "door/opencode/replies.h"
#include "door/opencode/settling.h"

namespace parley {

namespace {

using opencode::Generation;
using opencode::MessageList;

// Reads the whole of one session's past, page by page, and then answers from it.
class History : public std::enable_shared_from_this<History> {
public:
    using Finish = UniqueFunction<void(net::Exchange&, const MessageList&)>;

    History(OpenCodeDoor& door, SessionPtr session, net::Exchange exchange, Finish finish)
        : door_(door),
          session_(std::move(session)),
          exchange_(std::move(exchange)),
          finish_(std::move(finish)),
          list_(door.scene_of(session_.get())) {}

    void read(Cursor after) {
        door_.broker().list_events({.after = after, .session = session_->id},
                                   [self = shared_from_this(), after](Result<EventPage> page) {
                                       self->take(after, std::move(page));
                                   });
    }

private:
    void take(Cursor after, Result<EventPage> page) {
        if (!page) return opencode::reply_error(exchange_, Generation::v1, page.error());
        // What is no longer kept cannot be shown; all after it can.
        if (page->has_gap && after < page->oldest) return read(page->oldest);
        for (const EventPtr& event : page->events) list_.add(*event);
        if (page->has_more && !page->events.empty()) return read(page->events.back()->cursor);
        finish_(exchange_, list_);
    }

    OpenCodeDoor& door_;
    SessionPtr session_;
    net::Exchange exchange_;
    Finish finish_;
    MessageList list_;
};

void with_history(OpenCodeDoor& door, net::Exchange exchange, History::Finish finish) {
    const std::string ref(exchange.param("sessionID"));
    door.broker().find_session(ref, [&door, ref, exchange = std::move(exchange),
                                     finish =
                                         std::move(finish)](Result<SessionPtr> session) mutable {
        if (!session) return opencode::reply_no_session(exchange, Generation::v1, ref);
        std::make_shared<History>(door, std::move(*session), std::move(exchange), std::move(finish))
            ->read({});
    });
}

void list(OpenCodeDoor& door, net::Exchange exchange) {
    const auto limit = opencode::query_limit(exchange, limits::kMessagesListed);
    if (!limit) return;
    with_history(door, std::move(exchange),
                 [limit = *limit](net::Exchange& answered, const MessageList& messages) {
                     opencode::reply(answered, 200, messages.document(limit));
                 });
}

void get(OpenCodeDoor& door, net::Exchange exchange) {
    with_history(door, std::move(exchange),
                 [](net::Exchange& answered, const MessageList& messages) {
                     const std::string_view id = answered.param("messageID");
                     std::string found = messages.find(id);
                     if (found.empty()) return opencode::reply_no_message(answered, id);
                     opencode::reply(answered, 200, std::move(found));
                 });
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
        return [this, handler](net::Exchange exchange) { handler(*this, std::move(exchange)); };
    };
    router.get("/session/{sessionID}/message", with(list), route(Needs::responder));
    router.get("/session/{sessionID}/message/{messageID}", with(get), route(Needs::responder));
    router.post("/session/{sessionID}/message", with(prompt_and_wait),
                opencode::json_route(Needs::responder));
    router.post("/session/{sessionID}/prompt_async", with(prompt_later),
                opencode::json_route(Needs::responder));
}

}  // namespace parley
