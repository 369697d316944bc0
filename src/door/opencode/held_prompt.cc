// SPDX-License-Identifier: Apache-2.0
#include "door/opencode/held_prompt.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/overload.h"
#include "door/limits.h"
#include "door/opencode/message_reply.h"
#include "door/opencode/opencode_replies.h"

namespace parley::opencode {

namespace {

net::Co<void> write_answer(OpenCodeDoor* door, SessionPtr session, net::Exchange exchange,
                           MessageOutline::Message message) {
    const Scene scene = door->scene_of(session.get());
    MessageReply reply(*door, std::move(session), std::move(exchange), MessageOutline(scene));
    co_await reply.write_one(std::move(message));
}

}  // namespace

void HeldPrompt::hold(OpenCodeDoor& door, net::Exchange exchange, SessionId session,
                      std::string text) {
    const auto* entry = door.broker().find_live(session, viewer(exchange));
    ASSERT(entry != nullptr);
    std::make_shared<HeldPrompt>(door, std::move(exchange), entry->session)->start(std::move(text));
}

void HeldPrompt::start(std::string text) {
    ASSERT(exchange_);
    auto subscription = door_.broker().subscribe(
        {.after = door_.broker().head(), .session = session_->id, .viewer = viewer(*exchange_)},
        [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->take();
        });
    if (!subscription) return reply_error(*exchange_, Generation::v1, subscription.error());
    subscription_ = std::move(*subscription);
    self_ = shared_from_this();
    const auto leave = [weak = weak_from_this()] {
        if (const auto self = weak.lock())
            self->give_up("the wait was broken off; the message is kept");
    };
    exchange_->on_server_closing(leave);
    exchange_->on_peer_gone(leave);
    const bool is_waiting = door_.broker().pending_count(session_->id, viewer(*exchange_)) > 0;
    door_.broker().say(session_->id.str(), std::move(text), actor(*exchange_),
                       [self = shared_from_this(), is_waiting](const Result<Said>& said) {
                           self->said(said, is_waiting);
                       });
}

void HeldPrompt::said(const Result<Said>& said, bool has_waiting_agent) {
    if (!exchange_) return;
    if (!said) {
        reply_error(*exchange_, Generation::v1, said.error());
        exchange_.reset();
        self_.reset();
        return;
    }
    prompt_ = said->id;
    if (said->is_queued && !has_waiting_agent)
        return give_up(
            "no agent is attached to this session; the message is kept, and the agent "
            "that attaches next gets it");
    take();
}

void HeldPrompt::take() {
    std::vector<Frame> frames;
    while (exchange_) {
        frames.clear();
        subscription_.take(frames, limits::kEventsTakenAtOnce);
        if (frames.empty()) break;
        for (const Frame& frame : frames) {
            const auto* event = std::get_if<EventPtr>(&frame);
            if (event == nullptr) continue;
            outline_.add(**event);
            if (is_end(**event)) return finish();
        }
    }
    const Error* failure = subscription_.failure();
    if (exchange_ && failure != nullptr)
        give_up("what the agent said could not be read: " + failure->message);
}

bool HeldPrompt::is_end(const Event& event) {
    return std::visit(
        Overload{
            [this](const MessagesTaken& taken) {
                if (taken.up_to >= prompt_) is_taken_ = true;
                return false;
            },
            [](const SessionEnded&) { return true; },
            [this](const SessionChanged& changed) {
                return is_taken_ && changed.session->activity == Activity::idle;
            },
            [](const OneOf<AskOpened, AskSettled, DraftChanged, SnoozeChanged, SessionCreated,
                           PartAdded, MessageAdded, NoticeGiven, AgentRevoked, TokenChanged,
                           MarkChanged, ContentDeleted> auto&) { return false; },
        },
        event.body);
}

void HeldPrompt::finish() {
    ASSERT(exchange_);
    const MessageOutline::Message* answer = outline_.last_of_agent();
    if (answer == nullptr) return give_up("the agent's turn ended without a word");
    net::asio::co_spawn(exchange_->loop().context(),
                        write_answer(&door_, session_, std::move(*exchange_), *answer),
                        net::asio::detached);
    exchange_.reset();
    self_.reset();
}

void HeldPrompt::give_up(std::string_view reason) {
    if (!exchange_) return;
    reply(*exchange_, 200,
          unanswered_prompt(session_->id, prompt_, door_.clock().wall(), reason,
                            door_.scene_of(session_.get())));
    exchange_.reset();
    self_.reset();
}

}  // namespace parley::opencode
