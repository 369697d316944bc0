// SPDX-License-Identifier: Apache-2.0
#include "door/trpc/answer_procedure.h"

#include <utility>

#include "dialect/trpc/asks.h"
#include "dialect/trpc/calls.h"
#include "door/known_session.h"

namespace parley::trpc {

namespace {

constexpr std::string_view kUnknownText = "Question not found or already answered";

Failure unknown_question() {
    return {.key = FailureKey::not_found, .message = std::string(kUnknownText)};
}

// The answer came too late: the key says why, the shape's data by whom and when.
Failure settled_before(AskPtr ask) {
    const bool is_late = ask->state() == AskState::timed_out;
    return {.key = is_late ? FailureKey::timeout : FailureKey::conflict,
            .message = std::string(kUnknownText),
            .settled = std::move(ask)};
}

void answer_pending(LoopBroker& broker, const Ask& ask, const Caller& caller,
                    const AnswerInput& given, const std::shared_ptr<OpenCall>& call) {
    const auto session = broker.resolve(given.session, caller.viewer());
    if (!session || *session != ask.session)
        return call->finish(tl::unexpected(unknown_question()));
    Faults faults;
    const json::Path root;
    Answers answers = read_answers(ask.spec->questions, *given.answers, root / "answers", faults);
    if (!faults.empty()) return call->fail(std::move(faults).reject().value());
    broker.answer(ask.id, std::move(answers), {}, actor_of(caller),
                  [weak = std::weak_ptr(call)](Result<SettleReply> reply) {
                      const auto self = weak.lock();
                      if (!self) return;
                      if (!reply) return self->fail(reply.error());
                      if (reply->is_yours && !reply->is_repeat)
                          return self->finish(std::string(kSuccess));
                      self->finish(tl::unexpected(settled_before(std::move(reply->ask))));
                  });
}

// The ask is settled: it counts as found only for one who names its session.
void answer_settled(LoopBroker& broker, AskPtr ask, const std::string& ref,
                    const std::shared_ptr<OpenCall>& call) {
    const SessionId session = ask->session;
    auto told = [weak = std::weak_ptr(call), ref,
                 ask = std::move(ask)](const Result<SessionPtr>& found) {
        const auto self = weak.lock();
        if (!self) return;
        if (!found) return self->fail(found.error());
        const bool is_named = (*found)->id.str() == ref || (*found)->name == ref;
        self->finish(tl::unexpected(is_named ? settled_before(ask) : unknown_question()));
    };
    broker.find_session(session.str(), call->viewer, std::move(told));
}

}  // namespace

CallHandle answer_ask(LoopBroker& broker, const Caller& caller, const json::Value& input,
                      CallDone done) {
    auto given = read_answer_ask(input);
    if (!given) return refuse(std::move(done), failure_of(given.error()));
    const auto id = AskId::parse(given->question_id);
    if (!id) return refuse(std::move(done), unknown_question());
    auto call = begin(caller, std::move(done));
    if (const AskPtr ask = broker.find_pending(*id, caller.viewer())) {
        answer_pending(broker, *ask, caller, *given, call);
        return call;
    }
    // The input may live in an arena that ends with this call.
    json::Value answers(*given->answers, boost::json::storage_ptr());
    auto told = [&broker, weak = std::weak_ptr(call), caller, given = std::move(*given),
                 answers = std::move(answers)](Result<AskPtr> found) mutable {
        const auto self = weak.lock();
        if (!self) return;
        if (!found) {
            const bool is_unknown = found.error().code == ErrorCode::not_found;
            self->finish(
                tl::unexpected(is_unknown ? unknown_question() : failure_of(found.error())));
        } else if ((*found)->is_pending()) {
            // It was being opened when it was answered; so may be its session, at another node.
            const std::string session = given.session;
            hear_of_session(broker, session, caller.viewer(),
                            [&broker, weak, caller, ask = std::move(*found),
                             given = std::move(given), answers = std::move(answers)]() mutable {
                                given.answers = &answers;
                                if (const auto still = weak.lock())
                                    answer_pending(broker, *ask, caller, given, still);
                            });
        } else {
            answer_settled(broker, std::move(*found), given.session, self);
        }
    };
    broker.find_ask(*id, caller.viewer(), std::move(told));
    return call;
}

}  // namespace parley::trpc
