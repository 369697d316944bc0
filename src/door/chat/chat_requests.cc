// SPDX-License-Identifier: Apache-2.0
// What a chat app says: answers, cancellations, messages, interrupts.
#include <fmt/format.h>

#include <variant>

#include "core/door_names.h"
#include "core/text_rules.h"
#include "door/chat/chat_connection.h"

namespace parley {

namespace {

constexpr AnswerRules kRules = {.completeness = Completeness::partial};

}  // namespace

void ChatConnection::handle(std::string_view text) {
    if (!socket_.is_open()) return;
    if (!is_still_valid(visitor_.caller, wiring_.broker.tokens(), wiring_.clock.wall()))
        return cut();
    auto message = chat::read_message(text);
    if (!message) return tell(chat::error(message.error()));
    if (visitor_.is_observer) {
        return tell(chat::error(
            {ErrorCode::denied,
             "this connection only observes; connect without ?observe=1 to take part"}));
    }
    if (auto* response = std::get_if<chat::Response>(&*message)) {
        respond(std::move(*response));
    } else if (auto* said = std::get_if<chat::UserMessage>(&*message)) {
        say(std::move(said->text));
    } else {
        interrupt();
    }
}

Actor ChatConnection::actor() const {
    Actor actor = as_actor(visitor_.caller, door_names::kChatSocket);
    actor.only_while = visitor_.seat;
    return actor;
}

void ChatConnection::respond(chat::Response response) {
    const auto id = AskId::parse(response.question_id);
    if (!id) return refuse_unknown(response.question_id);
    auto told = [weak = weak_from_this(),
                 response = std::move(response)](Result<AskPtr> found) mutable {
        const auto self = weak.lock();
        if (!self) return;
        // That another session has a question of this id is nobody's business here.
        const bool is_unknown = !found && found.error().code == ErrorCode::not_found;
        if (is_unknown || (found && (*found)->session != self->visitor_.id))
            return self->refuse_unknown(response.question_id);
        if (!found) return self->tell(chat::error(found.error(), response.question_id));
        self->settle(*found, std::move(response));
    };
    wiring_.broker.find_ask(*id, visitor_.caller.viewer(), std::move(told));
}

void ChatConnection::refuse_unknown(std::string_view question) {
    const bool has_pending = has_pending_asks();
    tell(
        chat::error({ErrorCode::not_found,
                     has_pending ? "Question ID does not match pending question"
                                 : fmt::format("Question not found: {}", quoted_excerpt(question))},
                    question));
}

void ChatConnection::settle(const AskPtr& ask, chat::Response response) {
    if (!ask->is_pending()) return tell(chat::settled_error(*ask));
    if (response.is_cancelled) {
        cancel(*ask, std::move(response.reason));
    } else {
        answer(*ask, response);
    }
}

void ChatConnection::answer(const Ask& ask, const chat::Response& response) {
    auto answers = chat::read_answers(ask.spec->questions, response.answers);
    if (!answers) return tell(chat::error(answers.error(), response.question_id));
    wiring_.broker.answer(ask.id, std::move(*answers), kRules, actor(), offer(ask.id, [] {}));
}

// In this protocol a cancelled question stops the turn.
void ChatConnection::cancel(const Ask& ask, std::optional<std::string> reason) {
    wiring_.broker.dismiss(ask.id, std::move(reason), actor(),
                           offer(ask.id, [weak = weak_from_this()] {
                               if (const auto self = weak.lock()) self->interrupt();
                           }));
}

// Who is not the first is told what stands, also when it says the same twice. The settlement
// itself comes as an event, to everyone alike, before this is called.
Done<SettleReply> ChatConnection::offer(AskId id, UniqueFunction<void()> then) {
    ++offers_[id].in_flight;
    return [weak = weak_from_this(), id,
            then = std::move(then)](const Result<SettleReply>& reply) mutable {
        const auto self = weak.lock();
        if (!self) return;
        const auto offered = self->offers_.find(id);
        const bool was_won = offered->second.is_won;
        offered->second.is_won = was_won || (reply && reply->is_yours);
        if (--offered->second.in_flight == 0) self->offers_.erase(offered);
        if (!reply) return self->tell(chat::error(reply.error(), id.str()));
        if (was_won || !reply->is_yours) return self->tell(chat::settled_error(*reply->ask));
        then();
    };
}

bool ChatConnection::is_own(const Ask& ask) const {
    return offers_.contains(ask.id) && ask.settlement->door == door_names::kChatSocket &&
           ask.settlement->decider.principal == visitor_.caller.principal;
}

void ChatConnection::say(std::string text) {
    wiring_.broker.say(visitor_.id.str(), std::move(text), actor(),
                       [weak = weak_from_this()](const Result<Said>& said) {
                           const auto self = weak.lock();
                           if (!self) return;
                           if (!said) return self->tell(chat::error(said.error()));
                           if (!said->is_queued) return;
                           self->tell(chat::message_queued(said->id, self->has_pending_asks()));
                       });
}

void ChatConnection::interrupt() {
    wiring_.broker.abort(visitor_.id.str(), actor(),
                         [weak = weak_from_this()](const Result<SessionPtr>& stopped) {
                             const auto self = weak.lock();
                             if (!self) return;
                             if (!stopped) return self->tell(chat::error(stopped.error()));
                             self->tell_status();
                         });
}

}  // namespace parley
